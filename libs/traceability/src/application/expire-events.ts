import { Injectable, Optional } from '@nestjs/common';
import { Clock } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { EventSettings, PreparedEvents } from '../ports.js';

const BATCH = 1_000;
/** A declaration may be signed long after it was prepared; without its words the void would have no reason. */
const DECLARATION_KEPT_MS = 365 * 86_400_000;

/** Events that nobody sent in time expire, and are forgotten after a while; error declarations that never landed are forgotten after a year. */
@Injectable()
export class ExpireEvents {
  private readonly settings: EventSettings;

  constructor(
    private readonly work: UnitOfWork,
    private readonly events: PreparedEvents,
    private readonly clock: Clock,
    @Optional() settings?: EventSettings,
  ) {
    this.settings = settings ?? new EventSettings();
  }

  /** @param leaving what is left over is done by whoever comes next */
  async expire(leaving = new AbortController().signal): Promise<void> {
    const now = this.clock.now();
    const before = (keptMs: number): Date => new Date(now.getTime() - keptMs);
    const all = async (some: (tx: SystemTx) => Promise<number>): Promise<void> => {
      for (let done = BATCH; done === BATCH && !leaving.aborted; ) done = await this.work.asSystem(some);
    };
    await all((tx) => this.events.expire(tx, now, BATCH));
    await all((tx) => this.events.forgetExpired(tx, before(this.settings.expiredKeptSeconds * 1000), BATCH));
    await all((tx) => this.events.forgetDeclarations(tx, before(DECLARATION_KEPT_MS), BATCH));
  }
}
