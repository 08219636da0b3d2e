import { ChainHead, ChainProfile } from '#chain';
import { type Actor, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { trackedNotFound } from '../../domain/errors.js';
import { TrackedTransactions } from '../../ports.js';
import { effectsOf } from '../persistence/landed-table.js';
import { type TrackedView, trackedView } from './transactions.view.js';

/** A tracking as it is read: with its effects and with confirmations up to the head of this moment. */
@Injectable()
export class TrackedQueries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedTransactions,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
  ) {}

  /** @throws DomainError 404 `tracked_transaction_not_found` */
  byId(actor: Actor, trackingId: string): Promise<TrackedView> {
    if (!isUuid(trackingId)) throw trackedNotFound(trackingId);
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const tracked = await this.tracked.byId(tx, trackingId.toLowerCase());
      if (!tracked) throw trackedNotFound(trackingId);
      const { head } = await this.chainHead.position(tx);
      return trackedView(tracked, await effectsOf(tx, tracked.txHash), head, this.chain.confirmations);
    });
  }
}
