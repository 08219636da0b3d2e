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
  /**
   * Whether the projection is being made anew (a reindex, a database that was restored without it) and has not come to the head of the
   * chain again. What is missing then is not gone: whoever draws lasting conclusions from what is there waits.
   */
  isMadeAnew(_tx: Tx): Promise<boolean> {
    return Promise.resolve(false);
  }
}
