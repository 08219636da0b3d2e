export * from './api-problem.js';
export * from './rpc.js';
export * from './sender.js';
export * from './traceability-client.js';
export * from './types.js';
export * from './webhook-signature.js';
