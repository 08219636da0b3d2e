import type { SystemTx, TenantTx } from '#persistence';
import { AffectedSets, Holds, Lots } from '#traceability';
import { Injectable } from '@nestjs/common';
import { RecallQueries } from '../recalls/recalls.queries.js';
import { type HoldingRecall, type Split, heldBy } from './hold.js';
import { HoldQueries } from './holds.queries.js';

/**
 * Applies what a notice says about affected lots: `hold` puts them on hold, `none` leaves them untouched. What the lots show follows.
 * Affected sets are traceability's: they are up to date when a block comes here.
 */
@Injectable()
export class PropagateRecall {
  constructor(
    private readonly recalls: RecallQueries,
    private readonly affected: AffectedSets,
    private readonly holds: Holds,
    private readonly queries: HoldQueries,
    private readonly lots: Lots,
  ) {}

  /** Until the end of the transaction no block adds to what recalls affect. */
  async waitForBlocks(tx: TenantTx): Promise<void> {
    await this.affected.lockTenantSets(tx);
  }

  /** Removes what the given recalls affect, if their propagation is `none`. */
  async forget(tx: TenantTx, chainId: number, recallIds: readonly string[]): Promise<void> {
    await this.affected.forget(tx, chainId, () => this.recalls.flaggedWithoutPropagation(tx, recallIds));
  }

  /** Holds what all recalls with propagation `hold` affect since a block, and what was minted from that. */
  async holdSince(tx: TenantTx, chainId: number, block: number): Promise<void> {
    const recalls = await this.queries.holdingRecalls(tx);
    if (recalls.length > 0) await this.hold(tx, chainId, recalls, block);
  }

  /** @param since only lots that are affected since this block */
  async hold(tx: TenantTx, chainId: number, recalls: readonly HoldingRecall[], since: number): Promise<void> {
    const recallOf = new Map(recalls.flatMap((recall) => recall.roots.map((root) => [root, recall] as const)));
    const affected = await this.affected.since(tx, [...recallOf.keys()], since);
    const holds = heldBy(affected.map((lot) => ({ ...lot, recall: recallOf.get(lot.root)! })));
    await this.holds.place(tx, await this.queries.place(tx, holds, chainId));
  }

  /** What was split from a lot on hold by quality, directly on chain or by a call that was prepared before, is on hold too. */
  async holdParts(tx: TenantTx, chainId: number, splits: readonly Split[]): Promise<void> {
    await this.holds.place(tx, await this.queries.place(tx, await this.queries.ofParts(tx, splits), chainId));
  }

  /** After a reorganisation a number can belong to another lot than the one on hold. */
  async releaseEarlierLots(tx: TenantTx, minted: readonly { readonly tokenId: bigint; readonly tlcHash: string }[]): Promise<void> {
    await this.holds.release(tx, await this.queries.deleteOfEarlierLots(tx, minted));
  }

  /** The same of lots that were split: their code is that of the lot. */
  async releaseEarlierParts(tx: TenantTx, tokenIds: readonly bigint[]): Promise<void> {
    await this.releaseEarlierLots(tx, await this.lots.byTokenIds(tx, tokenIds));
  }

  /** A recall whose last lot was lifted holds nothing any longer. */
  async releaseLifted(tx: TenantTx): Promise<void> {
    await this.holds.release(tx, await this.queries.releaseLifted(tx));
  }

  async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    for (const { tenantId, free, restored } of await this.queries.undo(tx, chainId, lastGoodBlock))
      await tx.forTenant(tenantId, async (own) => {
        await this.holds.release(own, free);
        await this.holds.place(own, restored);
      });
  }
}
