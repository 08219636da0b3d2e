import { ChainHead } from '#chain';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { Pointers } from '../pointers.ports.js';
import { CheckPointers } from './check-pointers.js';

const LEASE_MS = 60_000;
const NO_EVENT = { eventBlock: 0, eventId: null, tokenId: 0n } as const;

export interface Pace {
  readonly everyMs: number;
  readonly batch: number;
  readonly lapMs: number;
}

/**
 * Goes over a tenant's events by landing and its lots by token id, a batch at a time, and begins a new lap when the last one is old
 * enough. A batch that was not finished is done again: where the sweep is stands in the database.
 */
@Injectable()
export class SweepPointers {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pointers: Pointers,
    private readonly checkPointers: CheckPointers,
    private readonly chainHead: ChainHead,
    private readonly clock: Clock,
  ) {}

  /** A batch of one tenant that is due. @returns whether there was one. @throws EngineUnavailable */
  async sweepNext(pace: Pace): Promise<boolean> {
    const tenantId = await this.unitOfWork.asSystem(async (tx) =>
      (await this.chainHead.isMadeAnew(tx)) ? null : this.pointers.take(tx, this.clock.now(), LEASE_MS),
    );
    if (tenantId === null) return false;
    const scope = { tenantId };
    const { walk, events, lots, block } = await this.unitOfWork.inSnapshot(scope, async (tx) => {
      const began = await this.pointers.walk(tx);
      const { head, final } = await this.chainHead.position(tx);
      return {
        walk: began,
        events: await this.pointers.eventsAfter(tx, began, final, pace.batch),
        lots: await this.pointers.lotsAfter(tx, began.tokenId, pace.batch),
        block: head,
      };
    });
    await this.checkPointers.events(scope, events);
    await this.checkPointers.lots(scope, lots, block);
    const now = this.clock.now();
    const more = events.length === pace.batch || lots.length === pace.batch;
    const place = {
      eventBlock: events.at(-1)?.recorded.blockNumber ?? walk.eventBlock,
      eventId: events.at(-1)?.id ?? walk.eventId,
      tokenId: lots.at(-1)?.recorded.tokenId ?? walk.tokenId,
    };
    const lap = { lapBeganAt: walk.lapBeganAt, lapEndedAt: more ? walk.lapEndedAt : now };
    const over = !more && now.getTime() - walk.lapBeganAt.getTime() >= pace.lapMs;
    await this.unitOfWork.inTransaction(scope, (tx) =>
      this.pointers.walked(
        tx,
        over ? { ...NO_EVENT, lapBeganAt: now, lapEndedAt: now } : { ...place, ...lap },
        new Date(now.getTime() + pace.everyMs),
      ),
    );
    return true;
  }
}
