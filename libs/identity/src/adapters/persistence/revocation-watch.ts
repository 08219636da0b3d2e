import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { IdentitySettings } from '../../settings.js';
import { PrincipalMemory } from '../http/principal-memory.js';

const POLL_MS = 400;
/** Rows are read again for so long, because a transaction that began earlier may commit later. */
const WINDOW_SECONDS = 10;
const TIDY_MS = 60_000;

/** Hears what other nodes revoked: one small query every 400 ms, so that nothing revoked is honoured for a second. */
@Injectable()
export class RevocationWatch implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger('Identity');
  private readonly seen = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | null = null;
  private lastSuccess = Number.NEGATIVE_INFINITY;
  private lastTidy = performance.now();
  private failing = false;
  private stopped = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly memory: PrincipalMemory,
    private readonly settings: IdentitySettings,
  ) {}

  onModuleInit(): void {
    this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  /**
   * Reads what was revoked, once for all who ask at the same moment: a process too busy to look in time does not answer
   * with a query for every request. Never rejects; what is not confirmed after it is looked up by itself.
   */
  look(): Promise<void> {
    this.looking ??= this.poll().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  private run(): void {
    void this.look().then(() => {
      if (!this.stopped) this.timer = setTimeout(() => this.run(), POLL_MS).unref();
    });
  }

  private async poll(): Promise<void> {
    const started = performance.now();
    try {
      const rows = await this.recent();
      // After a longer silence the window no longer reaches back to the last look.
      if (started - this.lastSuccess > (WINDOW_SECONDS * 1000) / 2) this.memory.clear();
      this.memory.forget(rows.filter(({ id }) => !this.seen.has(id)).map(({ subject }) => subject));
      for (const { id } of rows) this.seen.set(id, started);
      for (const [id, at] of this.seen) if (started - at > WINDOW_SECONDS * 2000) this.seen.delete(id);
      this.memory.confirmedAt(started);
      this.lastSuccess = started;
      this.failing = false;
      if (started - this.lastTidy > TIDY_MS) await this.tidy(started);
    } catch (error) {
      if (!this.failing && !this.stopped) this.log.warn(`revocations cannot be read: ${(error as Error).message}`);
      this.failing = true;
    }
  }

  private recent(): Promise<{ readonly id: string; readonly subject: string }[]> {
    return this.unitOfWork.asSystem((tx) =>
      tx.sql('select id, subject from identity.revocation where created_at > clock_timestamp() - make_interval(secs => $1)', [
        WINDOW_SECONDS,
      ]),
    );
  }

  /** Retention: revocations an hour, sessions until no refresh token of theirs could be good. */
  private async tidy(now: number): Promise<void> {
    this.lastTidy = now;
    await this.unitOfWork.asSystem(async (tx) => {
      await tx.sql(`delete from identity.revocation where created_at < now() - interval '1 hour'`);
      await tx.sql('delete from identity.session where last_used_at < now() - make_interval(secs => $1)', [
        this.settings.sessions.maxSeconds,
      ]);
    });
  }
}
