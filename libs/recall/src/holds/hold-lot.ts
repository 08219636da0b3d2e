import { type Actor, Clock, type Role } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Holds, Lots } from '#traceability';
import { Injectable } from '@nestjs/common';
import { lotNotFound, notHeld, recallNotFound } from '../errors.js';
import { QUALITY } from './hold.js';
import { HoldQueries } from './holds.queries.js';
import { requireLotScope } from '../recalls/check-lot-scope.js';

/** Puts a lot on hold, or releases it. Off chain: it stops calls prepared here and nothing else (docs/spec/api.md#lots-custody-recall). */
@Injectable()
export class HoldLot {
  /** Within the process of the lot (docs/spec/api.md#identity). */
  static readonly roles: readonly Role[] = ['COMPLIANCE', 'TENANT_ADMIN'];

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly lots: Lots,
    private readonly holds: Holds,
    private readonly queries: HoldQueries,
    private readonly clock: Clock,
  ) {}

  /** A lot that is on hold already stays so. @throws DomainError 404 `lot_not_found`, 403 `process_out_of_scope` */
  async hold(actor: Actor, tokenId: bigint, reason: string): Promise<void> {
    await this.unitOfWork.inTransaction(actor, async (tx) => {
      const [lot] = await this.lots.byTokenIds(tx, [tokenId]);
      if (!lot) throw lotNotFound(tokenId);
      await requireLotScope(this.lots, tx, { actor, roles: HoldLot.roles }, [tokenId]);
      const at = this.clock.now();
      await this.queries.place(tx, [{ tokenId, source: QUALITY, reason, by: actor.id, at, block: null, tlcHash: lot.tlcHash }], null);
      await this.holds.place(tx, [{ tokenId, reason, at }]);
    });
  }

  /** Ends all holds of the lot, those of recalls too. @throws DomainError 404 `lot_not_found`, 409 `not_held`, 403 `process_out_of_scope` */
  async release(actor: Actor, tokenId: bigint): Promise<void> {
    await this.unitOfWork.inTransaction(actor, async (tx) => {
      const [lot] = await this.lots.byTokenIds(tx, [tokenId]);
      if (!lot) throw lotNotFound(tokenId);
      await requireLotScope(this.lots, tx, { actor, roles: HoldLot.roles }, [tokenId]);
      const free = await this.queries.release(tx, { tokenIds: [tokenId] }, { id: actor.id, at: this.clock.now() });
      if (free.length === 0) throw notHeld(tokenId);
      await this.holds.release(tx, free);
    });
  }

  /**
   * Ends all holds of a recall with one call.
   * @returns how many lots have no hold now
   * @throws DomainError 404 `recall_not_found`, 403 `process_out_of_scope` unless the scope covers every lot that it recalls and holds
   */
  async releaseRecall(actor: Actor, recallId: string): Promise<number> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const by = { id: actor.id, at: this.clock.now() };
      await requireLotScope(this.lots, tx, { actor, roles: HoldLot.roles }, await this.queries.lotsOf(tx, recallId));
      if (!(await this.queries.endPropagation(tx, recallId, by))) throw recallNotFound(recallId);
      const free = await this.queries.release(tx, { source: recallId }, by);
      await this.holds.release(tx, free);
      return free.length;
    });
  }
}
