export * from './adapters/http/access.js';
export * from './contract.js';
