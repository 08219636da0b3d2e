export interface ChainNodeState {
  readonly state: 'up' | 'down';
  /** A sentence for the operator; null when all is well. */
  readonly detail: string | null;
}

/**
 * The EVM node that the service works with: one of its own, or somebody's by URL. Close it last of all that uses it.
 */
export abstract class ChainNode {
  abstract readonly kind: 'embedded' | 'rpc';
  /** JSON-RPC addresses in order of preference; they stay the same for as long as the node is open. */
  abstract readonly urls: readonly string[];

  /**
   * Called before the effects of the block with this hash commit. When it resolves, that block survives a `kill -9` of
   * every process, or the chain has meanwhile left it.
   * @throws EngineUnavailable('chain')
   */
  abstract secure(blockHash: string): Promise<void>;

  abstract state(): Promise<ChainNodeState>;

  /** Ends what was started, keeping everything that was mined. Never throws, may be called twice. */
  abstract close(): Promise<void>;
}
