/**
 * Runs `poll` when woken, and at the latest every `idleMs`, one at a time; again at once while it answers true. A failure is reported
 * and tried again after `idleMs`, without limit: an engine that is away comes back.
 */
export class PollingLoop {
  private woken = false;
  private stopped = false;
  private endIdle: () => void = () => undefined;
  private running: Promise<void> | null = null;

  constructor(
    private readonly poll: () => Promise<boolean>,
    private readonly idleMs: number,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  wake(): void {
    this.woken = true;
    this.endIdle();
  }

  /** Resolves when the running poll has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.endIdle();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.woken = false;
      let again = false;
      try {
        again = await this.poll();
      } catch (error) {
        this.onError(error);
        this.woken = false; // a database that is away must not be asked in a tight loop
      }
      if (!again && !this.woken && !this.stopped) await this.idle();
    }
  }

  private idle(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.idleMs);
      this.endIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
