/** What went wrong with an endpoint's answer, as `RpcUnreachable.reason` has it, or `behind`. */
export interface ChainCounts {
  /** Blocks between the node's head and the projection; null before both are known. */
  readonly lag: number | null;
  readonly reorgs: number;
  /** Blocks taken back by all reorgs together. */
  readonly blocksTakenBack: number;
  /** JSON-RPC exchanges, and those without a usable answer by `<endpoint> <reason>`. */
  readonly requests: number;
  readonly errors: Readonly<Record<string, number>>;
}

/**
 * Counts of this process since it started. Whoever exports metrics reads `counts`; nothing here knows how they are exported.
 * Names of endpoints are hosts, without the keys that hosted nodes carry in the path.
 */
export class ChainMetrics {
  private lag: number | null = null;
  private reorgs = 0;
  private blocksTakenBack = 0;
  private requests = 0;
  private readonly errors = new Map<string, number>();

  get counts(): ChainCounts {
    const { lag, reorgs, blocksTakenBack, requests } = this;
    return { lag, reorgs, blocksTakenBack, requests, errors: Object.fromEntries(this.errors) };
  }

  lags(blocks: number | null): void {
    this.lag = blocks;
  }

  reorganised(blocks: number): void {
    this.reorgs++;
    this.blocksTakenBack += blocks;
  }

  asked(): void {
    this.requests++;
  }

  failed(endpoint: string, reason: string): void {
    const key = `${endpoint} ${reason}`;
    this.errors.set(key, (this.errors.get(key) ?? 0) + 1);
  }
}
