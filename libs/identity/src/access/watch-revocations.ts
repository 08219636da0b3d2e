import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { reportOf } from '#kernel';
import { PrincipalCache, RevocationsQueries } from './revocations.queries.js';

const POLL_MS = 400;
/** Rows are read again for this long, because a transaction that began earlier may commit later. */
const WINDOW_SECONDS = 10;
const CLEANUP_MS = 60_000;

/** Reads what other nodes revoked: one small query every 400 ms, so that no revoked credential is accepted for a second. */
@Injectable()
export class WatchRevocations implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger('Identity');
  private readonly seen = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | null = null;
  private lastSuccess = Number.NEGATIVE_INFINITY;
  private lastCleanup = performance.now();
  private failing = false;
  private stopped = false;

  constructor(
    private readonly revocations: RevocationsQueries,
    private readonly cache: PrincipalCache,
  ) {}

  onModuleInit(): void {
    this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.polling;
  }

  /**
   * Reads the revocations, once for all callers that ask at the same moment: a process too busy to poll in time does not send
   * a query for every request. Never rejects; a credential whose cache entry stays unconfirmed is looked up in the database.
   */
  poll(): Promise<void> {
    this.polling ??= this.read().finally(() => {
      this.polling = null;
    });
    return this.polling;
  }

  private run(): void {
    void this.poll().then(() => {
      if (!this.stopped) this.timer = setTimeout(() => this.run(), POLL_MS).unref();
    });
  }

  private async read(): Promise<void> {
    const started = performance.now();
    try {
      const rows = await this.revocations.recent(WINDOW_SECONDS);
      // After a longer pause the window no longer reaches back to the last poll.
      if (started - this.lastSuccess > (WINDOW_SECONDS * 1000) / 2) this.cache.clear();
      this.cache.evict(rows.filter(({ id }) => !this.seen.has(id)).map(({ subject }) => subject));
      for (const { id } of rows) this.seen.set(id, started);
      for (const [id, at] of this.seen) if (started - at > WINDOW_SECONDS * 2000) this.seen.delete(id);
      this.cache.confirmedAt(started);
      this.lastSuccess = started;
      this.failing = false;
      if (started - this.lastCleanup > CLEANUP_MS) await this.cleanUp(started);
    } catch (error) {
      if (!this.failing && !this.stopped) this.log.warn(`revocations cannot be read: ${reportOf(error)}`);
      this.failing = true;
    }
  }

  private async cleanUp(now: number): Promise<void> {
    this.lastCleanup = now;
    await this.revocations.deleteOld();
  }
}
