import { setTimeout as sleep } from 'node:timers/promises';
import { type LandedLog, LogHandler, type TenantLogs } from '#chain';
import { ContentStore, cidFromDataHash } from '#content-storage';
import { Tenants } from '#identity';
import { ZERO_BYTES32 } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { Lineage, Lots } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type Impact, nftRecalled, recalledKey } from '../../domain/nft-recalled.js';
import { type Recall, landedRecall } from '../../domain/recall.js';
import { NO_NOTICE, type RecallNotice, recallNotice } from '../../domain/recall-notice.js';
import { liftRecalls, saveRecall, undoRecalls } from '../persistence/recall-table.js';

type RecallLog = Extract<LandedLog, { name: 'LotsRecalled' | 'RecallLifted' }>;
const isRecallLog = (log: LandedLog): log is RecallLog => log.name === 'LotsRecalled' || log.name === 'RecallLifted';

/** A block must not wait for content that may exist nowhere. */
const READ_LIMIT_MS = 1_500;
/** Defaults of recall-impact (domain-decisions §3). */
const BOUNDS = { maxDepth: 50, maxNodes: 5000 };

/** Projects recalls and their lifting into `recall.*`, and tells of each recalled lot. Runs after traceability's. */
@Injectable()
export class RecallLogHandler extends LogHandler {
  constructor(
    private readonly lots: Lots,
    private readonly lineage: Lineage,
    private readonly content: ContentStore,
    private readonly tenants: Tenants,
  ) {
    super();
  }

  override async apply(tx: TenantTx, { chainId, logs }: TenantLogs): Promise<void> {
    for (const log of logs.filter(isRecallLog)) {
      if (log.name === 'LotsRecalled') await this.recalled(tx, chainId, log);
      else
        await liftRecalls(tx, {
          chainId,
          tokenIds: log.args.tokenIds,
          liftedBy: log.args.actor,
          at: log.block.timestamp,
          block: log.block.number,
          txHash: log.txHash,
        });
    }
  }

  override undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    return undoRecalls(tx, chainId, lastGoodBlock);
  }

  private async recalled(tx: TenantTx, chainId: number, log: Extract<RecallLog, { name: 'LotsRecalled' }>): Promise<void> {
    const { actor, dataHash, tokenIds } = log.args;
    const notice = dataHash === ZERO_BYTES32 ? NO_NOTICE : await this.read(dataHash);
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
  }

  /** Null when the notice cannot be read now. A store that is away or a corrupt block must not stop the chain's projection. */
  private async read(dataHash: string): Promise<RecallNotice | null> {
    const bytes = await Promise.race([
      this.content.get(cidFromDataHash(dataHash)).catch(() => null),
      sleep(READ_LIMIT_MS, null, { ref: false }),
    ]);
    return bytes && (recallNotice(bytes) ?? NO_NOTICE);
  }

  private async announce(tx: TenantTx, recall: Recall): Promise<void> {
    const { slug } = await this.tenants.byId(tx.tenantId);
    for (const tokenId of recall.tokenIds) {
      const data = nftRecalled(recall, tokenId, slug, await this.impactOf(tx, tokenId));
      const block = { chainId: recall.chainId, number: recall.block };
      await tx.publish([{ topic: 'nft.recalled', key: recalledKey(recall, tokenId), occurredAt: recall.at, data, block }]);
    }
  }

  private async impactOf(tx: TenantTx, root: bigint): Promise<Impact> {
    const { lots, truncated } = await this.lineage.affectedBy(tx, root, BOUNDS);
    const affected = lots.filter((lot) => lot.tokenId !== root && lot.relation !== 'container');
    const facts = new Map((await this.lots.byTokenIds(tx, [root, ...affected.map((lot) => lot.tokenId)])).map((lot) => [lot.tokenId, lot]));
    const nearestFirst = affected.toSorted((a, b) => a.depth - b.depth || Number(a.tokenId - b.tokenId));
    return { root: facts.get(root), affected: nearestFirst.flatMap((lot) => facts.get(lot.tokenId) ?? []), truncated };
  }
}
