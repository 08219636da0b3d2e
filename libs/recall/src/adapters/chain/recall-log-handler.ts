import { type LandedLog, LogHandler, type TenantLogs } from '#chain';
import { ContentStore, cidFromDataHash, inTime, TOO_LATE } from '#content-storage';
import { Tenants } from '#identity';
import { ZERO_BYTES32 } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { AffectedSets, Holds } from '#traceability';
import { Injectable } from '@nestjs/common';
import { HoldBook } from '../../ports.js';
import { TellReach } from '../../application/tell-reach.js';
import { nftRecalled, recalledKey } from '../../domain/nft-recalled.js';
import { type Recall, landedRecall } from '../../domain/recall.js';
import { NO_NOTICE, type RecallNotice, recallNotice } from '../../domain/recall-notice.js';
import { liftRecalls, saveRecall, sparingRecalls, undoRecalls } from '../persistence/recall-table.js';
import { heldBy } from '../../domain/hold.js';
import { holdingRecalls } from '../persistence/sql-hold-book.js';
import { undoHolds } from '../persistence/undo-holds.js';

type RecallLog = Extract<LandedLog, { name: 'LotsRecalled' | 'RecallLifted' }>;
const isRecallLog = (log: LandedLog): log is RecallLog => log.name === 'LotsRecalled' || log.name === 'RecallLifted';

/** A block must not wait for content that may exist nowhere: once in vain for this long, and it asks for nothing more. */
const READ_LIMIT_MS = 1_500;

/**
 * Projects recalls and their lifting into `recall.*`, and tells of each recalled lot. Runs after traceability's, whose
 * affected sets do not know what a notice says: those of recalls with propagation `none` are forgotten here.
 */
@Injectable()
export class RecallLogHandler extends LogHandler {
  constructor(
    private readonly reach: TellReach,
    private readonly affected: AffectedSets,
    private readonly holds: Holds,
    private readonly book: HoldBook,
    private readonly content: ContentStore,
    private readonly tenants: Tenants,
  ) {
    super();
  }

  override async apply(tx: TenantTx, { chainId, logs }: TenantLogs): Promise<void> {
    const patience = { left: true };
    const sparing: string[] = [];
    for (const log of logs.filter(isRecallLog)) {
      if (log.name === 'LotsRecalled') {
        const { id, notice } = await this.recalled(tx, chainId, log, patience);
        if (notice.propagation === 'none') sparing.push(id);
      } else
        await liftRecalls(tx, {
          chainId,
          tokenIds: log.args.tokenIds,
          liftedBy: log.args.actor,
          at: log.block.timestamp,
          block: log.block.number,
          txHash: log.txHash,
        });
    }
    if (sparing.length > 0) await this.affected.forget(tx, chainId, () => sparingRecalls(tx, sparing));
    const minted = logs.flatMap((log) => (log.name === 'LotMinted' ? [log.args] : []));
    if (minted.length > 0) await this.holds.release(tx, await this.book.forgetOthers(tx, minted));
    if (minted.length > 0 || logs.some((log) => log.name === 'LotsRecalled')) await this.hold(tx, chainId, logs[0]!.block.number);
    // A recall of which nothing stands any more holds nothing either.
    if (logs.some((log) => log.name === 'RecallLifted')) await this.holds.release(tx, await this.book.releaseLifted(tx));
  }

  /** Holds what recalls with propagation `hold` affect, and what was minted from that since: their sets were kept up to date before. */
  private async hold(tx: TenantTx, chainId: number, since: number): Promise<void> {
    const holding = await holdingRecalls(tx);
    if (holding.length === 0) return;
    const recallOf = new Map(holding.flatMap((recall) => recall.roots.map((root) => [root, recall] as const)));
    const fresh = await this.affected.since(tx, [...recallOf.keys()], since);
    const holds = heldBy(fresh.map((lot) => ({ ...lot, recall: recallOf.get(lot.root)! })));
    await this.holds.place(tx, await this.book.place(tx, holds, chainId));
  }

  override async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    for (const { tenantId, free, back } of await undoHolds(tx, chainId, lastGoodBlock))
      await tx.forTenant(tenantId, async (own) => {
        await this.holds.release(own, free);
        await this.holds.place(own, back);
      });
    await undoRecalls(tx, chainId, lastGoodBlock);
  }

  private async recalled(
    tx: TenantTx,
    chainId: number,
    log: Extract<RecallLog, { name: 'LotsRecalled' }>,
    patience: { left: boolean },
  ): Promise<Recall> {
    const { actor, dataHash, tokenIds } = log.args;
    const notice = dataHash === ZERO_BYTES32 ? NO_NOTICE : await this.read(dataHash, patience);
    const recall = landedRecall(
      {
        chainId,
        contract: log.contract,
        recalledBy: actor,
        dataHash,
        at: log.block.timestamp,
        block: log.block.number,
        txHash: log.txHash,
        logIndex: log.logIndex,
        txLogIndex: log.txLogIndex,
      },
      tokenIds,
      notice ?? NO_NOTICE,
      notice !== null,
    );
    await saveRecall(tx, recall);
    await this.announce(tx, recall);
    return recall;
  }

  /** Null when the notice cannot be read now: it is looked for again. A store that is away or a corrupt block must not stop the projection. */
  private async read(dataHash: string, patience: { left: boolean }): Promise<RecallNotice | null> {
    if (!patience.left) return null;
    const bytes = await inTime(this.content.get(cidFromDataHash(dataHash)), READ_LIMIT_MS);
    if (bytes === TOO_LATE) patience.left = false;
    return bytes === TOO_LATE || bytes === null ? null : (recallNotice(bytes) ?? NO_NOTICE);
  }

  private async announce(tx: TenantTx, recall: Recall): Promise<void> {
    const { slug } = await this.tenants.byId(tx.tenantId);
    const reaches = await this.reach.of(tx, recall.tokenIds);
    const block = { chainId: recall.chainId, number: recall.block };
    await tx.publish(
      recall.tokenIds.map((tokenId) => ({
        topic: 'nft.recalled',
        key: recalledKey(recall, tokenId),
        occurredAt: recall.at,
        data: nftRecalled(recall, tokenId, slug, reaches.get(tokenId)!),
        block,
      })),
    );
  }
}
