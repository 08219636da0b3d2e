import type { JsonRpc } from '../rpc/json-rpc.js';

export interface ChainNodeState {
  readonly state: 'up' | 'down';
  /** A sentence for the operator; null when all is well. */
  readonly detail: string | null;
}

/** The EVM node that the service uses: an embedded one, or another operator's by URL. Close it after everything that uses it. */
export abstract class ChainNode {
  abstract readonly kind: 'embedded' | 'rpc';
  /** JSON-RPC addresses in order of preference; they stay the same for as long as the node is open. */
  abstract readonly urls: readonly string[];

  /**
   * Called before the effects of the block with this hash are committed. When it resolves, the block survives a `kill -9` of every
   * process, or it does not belong to the chain any more.
   * @throws EngineUnavailable('chain')
   */
  abstract persist(blockHash: string): Promise<void>;

  abstract state(): Promise<ChainNodeState>;

  /** Stops what was started and keeps everything that was mined. Never throws, may be called twice. */
  abstract close(): Promise<void>;
}

/** The node cannot run here. The message says what to do about it, and is printed as it is, without a stack trace. */
export class NodeNotUsable extends Error {}

/** A node that another operator runs. */
export class RpcNode extends ChainNode {
  override readonly kind = 'rpc';

  constructor(
    override readonly urls: readonly string[],
    private readonly rpc: JsonRpc,
    private readonly chainId: number,
  ) {
    super();
  }

  override async persist(): Promise<void> {
    // A public or permissioned chain keeps its blocks itself.
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
      const { cause, message } = error as Error;
      return { state: 'down', detail: cause instanceof Error ? cause.message : message };
    }
  }

  override async close(): Promise<void> {
    // Nothing was started.
  }
}
