import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type CheckOutcome, HealthChecks } from '#http';
import { reportOf } from '#kernel';

/** As often as a scrape of the metrics asks the engines at most. */
const EVERY_MS = 5_000;

/** Says in the log when an engine goes away, why, and when it works again, also while nobody asks for `/health/ready`. */
@Injectable()
export class EngineWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Engines');
  /** By the name of the engine, on the monotonic clock in milliseconds. */
  private readonly downSince = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(private readonly checks: HealthChecks) {}

  onApplicationBootstrap(): void {
    this.checks.onRound((outcomes) => {
      if (!this.stopping) for (const outcome of outcomes) this.compare(outcome);
    });
    this.timer = setInterval(() => void this.checks.readiness(), EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
    clearInterval(this.timer);
  }

  private compare({ name, result: { state, impact }, error }: CheckOutcome): void {
    const since = this.downSince.get(name);
    if ((state === 'down') === (since !== undefined)) return;
    const engine = `The ${name.replaceAll('_', ' ')}`;
    // Both at the level that `npm start` shows: who reads that a fault began waits for its end.
    if (since === undefined) {
      this.downSince.set(name, performance.now());
      this.log.warn(`${engine} is down: ${reasonOf(error)}. ${impact ?? 'Requests are refused with 503.'}`);
    } else {
      this.downSince.delete(name);
      this.log.warn(`${engine} works again, after ${Math.round((performance.now() - since) / 1_000)} s.`);
    }
  }
}

/** The innermost cause: what the driver or the system says. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reportOf(cause).replace(/\.$/, '');
}
