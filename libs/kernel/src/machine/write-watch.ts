/** Between two writes that are made only to see whether they work. */
const AGAIN_MS = 5_000;

/**
 * Whether an engine takes writes, as the writes say that are made anyway: a health check of its own would write at each poll. After one
 * that the engine could not do, `check` tries a write, at most every five seconds, until one works.
 */
export class WriteWatch {
  private fault: { readonly error: unknown; readonly at: number } | null = null;

  /** @param now milliseconds on a monotonic clock */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** A write that the engine could not do, whatever was written. */
  failed(error: unknown): void {
    this.fault = { error, at: this.now() };
  }

  /** @param write something, and takes it back @throws what the last write failed with */
  async check(write: () => Promise<unknown>): Promise<void> {
    if (!this.fault) return;
    if (this.now() - this.fault.at < AGAIN_MS) throw this.fault.error;
    try {
      await write();
      this.fault = null;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }
}
