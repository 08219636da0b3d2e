export { NodeNotUsable } from './anvil-binary.js';
export { AnvilNode, type AnvilNodeOptions } from './anvil-node.js';
export { ChainNode, type ChainNodeState } from './chain-node.js';
export { openChainNode } from './open-chain-node.js';
export { RpcNode } from './rpc-node.js';
