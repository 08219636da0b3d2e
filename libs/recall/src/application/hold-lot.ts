import { type Actor, Clock, keccakOf } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Holds, Lots } from '#traceability';
import { Injectable } from '@nestjs/common';
import { lotNotFound, notHeld, recallNotFound } from '../domain/errors.js';
import { QUALITY } from '../domain/hold.js';
import { HoldBook } from '../ports.js';

/** Stops a lot, or lets it go: off chain, so it binds what is prepared here and nothing else (api-decisions §4). */
@Injectable()
export class HoldLot {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly lots: Lots,
    private readonly holds: Holds,
    private readonly book: HoldBook,
    private readonly clock: Clock,
  ) {}

  /** The same lot twice is held once. @throws DomainError 404 `lot_not_found` */
  async hold(actor: Actor, tokenId: bigint, reason: string): Promise<void> {
    await this.unitOfWork.inTransaction(actor, async (tx) => {
      const [lot] = await this.lots.byTokenIds(tx, [tokenId]);
      if (!lot) throw lotNotFound(tokenId);
      const at = this.clock.now();
      const tlcHash = lot.resolved ? keccakOf(lot.tlc) : lot.tlc;
      await this.book.place(tx, [{ tokenId, source: QUALITY, reason, by: actor.id, at, block: null, tlcHash }], null);
      await this.holds.place(tx, [{ tokenId, reason, at }]);
    });
  }

  /** Ends everything that holds the lot, a recall's hold too. @throws DomainError 404 `lot_not_found`, 409 `not_held` */
  async release(actor: Actor, tokenId: bigint): Promise<void> {
    await this.unitOfWork.inTransaction(actor, async (tx) => {
      const [lot] = await this.lots.byTokenIds(tx, [tokenId]);
      if (!lot) throw lotNotFound(tokenId);
      const free = await this.book.release(tx, { tokenIds: [tokenId] }, { id: actor.id, at: this.clock.now() });
      if (free.length === 0) throw notHeld(tokenId);
      await this.holds.release(tx, free);
    });
  }

  /** Ends all holds of a recall with one call. @returns how many lots are free now. @throws DomainError 404 `recall_not_found` */
  async releaseRecall(actor: Actor, recallId: string): Promise<number> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const by = { id: actor.id, at: this.clock.now() };
      if (!(await this.book.endPropagation(tx, recallId, by))) throw recallNotFound(recallId);
      const free = await this.book.release(tx, { source: recallId }, by);
      await this.holds.release(tx, free);
      return free.length;
    });
  }
}
