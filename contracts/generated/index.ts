// Generated from contracts/src by `node contracts/compile.mjs`. Do not edit.
export { tenantLotsAbi, tenantRegistryAbi, passkeyAccountAbi, passkeyAccountFactoryAbi } from './abi.js';
