export * from './accounts/passkey-account.js';
export * from './chain.module.js';
export { encodeHeader } from './rpc/block-header.js';
export { hexBytes, integerBytes, rlp, type RlpItem } from './rpc/rlp.js';
export { type AbiParameter, MalformedAbi, UnfitArgument } from './codec/abi-type.js';
export { ContractCodec, type ContractMethod, type Decoded, type RawLog } from './codec/contract-codec.js';
export * from './codec/tenant-lots.js';
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
} from './codec/tenant-lots.js';
export * from './deployments/deployments.js';
export * from './indexer/cursor.queries.js';
export {
  IndexerCommands,
  type CursorState,
  type IndexerCommand,
  aheadOfIndex,
  notIndexed,
  notStopped,
} from './indexer/indexer-commands.js';
export type { IndexerState, IndexerStatus } from './indexer/indexer-status.js';
export * from './indexer/indexer.module.js';
export { Indexer, type IndexerOptions, type IndexerParts } from './indexer/indexer.js';
export * from './indexer/chain-projector.js';
export type { IndexerTargets } from './indexer/block-applier.js';
export { AnvilNode, type AnvilNodeOptions } from './node/anvil-node.js';
export { ChainNode, type ChainNodeState, NodeNotUsable } from './node/chain-node.js';
export { openChainNode } from './chain.module.js';
export { RpcNode } from './node/chain-node.js';
export { gasFromTable } from './prepare/rpc-transaction-preparer.js';
export { batchRefusalOf, refusalOf } from './prepare/reverts.js';
export { RpcTransactionPreparer } from './prepare/rpc-transaction-preparer.js';
export * from './prepare/transaction-preparer.js';
export * from './rpc/rpc-endpoint.js';
export * from './rpc/json-rpc.js';
export type { CallerFault } from './rpc/caller-faults.js';
export * from './rpc/rpc-errors.js';
