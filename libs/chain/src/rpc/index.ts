export * from './json-rpc.js';
export * from './rpc-endpoint.js';
export * from './rpc-errors.js';
