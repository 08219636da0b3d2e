import type { ChainConfig } from '#config';
import { join } from 'node:path';
import { JsonRpc } from '../rpc/index.js';
import { AnvilNode } from './anvil-node.js';
import type { ChainNode } from './chain-node.js';
import { RpcNode } from './rpc-node.js';

/** The node of the configuration, and the transport to it. @throws NodeNotUsable for an embedded one */
export async function openChainNode(
  config: ChainConfig,
  dataDir: string,
  log?: (line: string) => void,
): Promise<{ readonly node: ChainNode; readonly rpc: JsonRpc }> {
  if (config.node.kind === 'rpc') {
    const rpc = new JsonRpc({ urls: config.node.urls, timeoutMs: config.timeoutMs });
    return { node: new RpcNode(config.node.urls, rpc, config.chainId), rpc };
  }
  const node = await AnvilNode.open({ folder: join(dataDir, 'chain'), chainId: config.chainId, port: config.node.port, log });
  return { node, rpc: new JsonRpc({ urls: node.urls, timeoutMs: config.timeoutMs }) };
}
