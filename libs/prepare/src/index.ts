export * from './contract-call.js';
export * from './prepare-call.js';
export { PrepareModule } from './prepare.module.js';
export * from './prepared-call.dto.js';
export * from './prepared-tx.dto.js';
