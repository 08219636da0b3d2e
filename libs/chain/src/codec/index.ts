export type { AbiParameter } from './abi-type.js';
export { MalformedAbi, UnfitArgument } from './abi-type.js';
export { ContractCodec, type ContractMethod, type Decoded, type RawLog } from './contract-codec.js';
export {
  decodeLog,
  decodeRegistryLog,
  decodeRevert,
  encodeCall,
  methodsOf,
  NEWEST_CONTRACT_VERSION,
  tenantCreatedTopic,
  tenantLots,
  tenantLotsTopics,
  tenantRegistry,
  type DecodedLog,
} from './tenant-lots.js';
