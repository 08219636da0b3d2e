import { setTimeout as sleep } from 'node:timers/promises';
import { Clock, EngineUnavailable } from '#kernel';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { WatchTransactions } from './watch-transactions.js';

/** What an operator may set. */
export class WatcherSettings {
  constructor(
    /** How often it checks for a new head. */
    readonly pollMs: number,
    /** A transaction that no node knew for this long is dropped. */
    readonly dropAfterMs: number,
  ) {}
}

/** Without a new block a transaction can still appear in the pool of a node. */
const IDLE_POLL_MS = 2_000;
const WAIT_AFTER_FAILURE_MS = 1_000;
/** After so long without a new block or hash it asks less often: each time costs a transaction of the database. */
const RESTS_AFTER_MS = 3_000;
const REST_MS = 400;

/** Polls once per indexed head, and at once for newly tracked hashes. Any number of workers: rows that another one is writing are skipped. */
@Injectable()
export class TransactionWatcher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('TransactionWatcher');
  private readonly stop = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private position = '';
  private lastPoll = 0;
  private isAway = false;
  private lastChange = performance.now();

  constructor(
    private readonly transactions: WatchTransactions,
    private readonly clock: Clock,
    private readonly settings: WatcherSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stop.signal.aborted) {
      const failed = await this.pollOnChange().then(
        () => false,
        (error: unknown) => this.report(error),
      );
      this.isAway = failed;
      await sleep(failed ? WAIT_AFTER_FAILURE_MS : this.waitMs(), undefined, { signal: this.stop.signal }).catch(() => undefined);
    }
  }

  private waitMs(): number {
    const { pollMs } = this.settings;
    return performance.now() - this.lastChange < RESTS_AFTER_MS ? pollMs : Math.max(pollMs, REST_MS);
  }

  private async pollOnChange(): Promise<void> {
    const { position, hasNew } = await this.transactions.state();
    if (position !== this.position || hasNew) this.lastChange = performance.now();
    const now = this.clock.now();
    if (position === this.position && !hasNew && now.getTime() - this.lastPoll < IDLE_POLL_MS) return;
    await this.transactions.poll(now, this.settings.dropAfterMs);
    [this.position, this.lastPoll] = [position, now.getTime()];
  }

  /** One line when an engine goes away, none while it stays away. */
  private report(error: unknown): true {
    if (!(error instanceof EngineUnavailable)) this.log.error(error);
    else if (!this.isAway) this.log.warn(error.report);
    return true;
  }
}
