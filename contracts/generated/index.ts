// Generated from contracts/src by `node contracts/compile.mjs`. Do not edit.
export { tenantLotsAbi, tenantRegistryAbi } from './abi.js';
