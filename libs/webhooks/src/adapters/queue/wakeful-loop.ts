/**
 * Runs `round` when nudged, and by itself every `idleMs`, one at a time; at once again while it answers true. A round that
 * fails is reported and tried again after `idleMs`, for ever: an engine that is away comes back.
 */
export class WakefulLoop {
  private nudged = false;
  private stopped = false;
  private wake: () => void = () => undefined;
  private running: Promise<void> | null = null;

  constructor(
    private readonly round: () => Promise<boolean>,
    private readonly idleMs: number,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  nudge(): void {
    this.nudged = true;
    this.wake();
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.nudged = false;
      let again = false;
      try {
        again = await this.round();
      } catch (error) {
        this.onError(error);
        this.nudged = false; // a database that is away must not be asked in a tight loop
      }
      if (!again && !this.nudged && !this.stopped) await this.idle();
    }
  }

  private idle(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.idleMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
