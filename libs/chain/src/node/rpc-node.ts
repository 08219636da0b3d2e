import { type JsonRpc } from '../rpc/index.js';
import { ChainNode, type ChainNodeState } from './chain-node.js';

/** A node that somebody else runs and keeps safe. */
export class RpcNode extends ChainNode {
  override readonly kind = 'rpc';

  constructor(
    override readonly urls: readonly string[],
    private readonly rpc: JsonRpc,
    private readonly chainId: number,
  ) {
    super();
  }

  override async secure(): Promise<void> {
    // A public or permissioned chain is its own journal.
  }

  override async state(): Promise<ChainNodeState> {
    try {
      const chainId = Number(await this.rpc.call<string>('eth_chainId', []));
      if (chainId === this.chainId) return { state: 'up', detail: null };
      return {
        state: 'down',
        detail: `The node is on chain ${chainId}, the service on ${this.chainId}: check CHAIN_ID and CHAIN_RPC_URLS.`,
      };
    } catch (error) {
      return { state: 'down', detail: (error as Error).message };
    }
  }

  override async close(): Promise<void> {
    // Nothing was started.
  }
}
