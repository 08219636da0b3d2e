export * from './chain-head.js';
export * from './chain-profile.js';
export * from './codec/index.js';
export * from './indexer/log-handler.js';
export * from './logs.js';
export * from './prepare-transaction.js';
export * from './rpc/index.js';
