import type { Tx } from '#persistence';

export interface ChainPosition {
  /** Last projected block. */
  readonly head: number;
  /** Last projected block that is final; -1 before there is one. */
  readonly final: number;
}

/** How far the projection has come, read in the caller's transaction. */
export abstract class ChainHead {
  abstract position(tx: Tx): Promise<ChainPosition>;
}
