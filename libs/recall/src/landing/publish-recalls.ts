import { Tenants } from '#identity';
import type { TenantTx } from '#persistence';
import { Lineage, Tracebacks } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type AffectedFacts, actorsOf, unitsOf } from '../impact/impact.rules.js';
import type { Recall } from '../recalls/recall.js';
import { type NftRecalled, nftRecalled } from '../topics.js';

/** The defaults of recall-impact (docs/spec/domain.md#recall). */
const BOUNDS = { maxDepth: 50, maxNodes: 5000 };

/** Publishes `nft.recalled` for each lot of a recall, with what it reaches: one walk and a few statements for up to 500 lots. */
@Injectable()
export class PublishRecalls {
  constructor(
    private readonly lineage: Lineage,
    private readonly tracebacks: Tracebacks,
    private readonly tenants: Tenants,
  ) {}

  async publish(tx: TenantTx, recall: Recall): Promise<void> {
    const { slug } = await this.tenants.byId(tx.tenantId);
    const reaches = await this.reachesOf(tx, recall.tokenIds);
    const block = { chainId: recall.chainId, number: recall.block };
    await tx.publish(
      recall.tokenIds.map((tokenId) => {
        const key = recalledKey(recall, tokenId);
        return nftRecalled(nftRecalledPayload(recall, tokenId, slug, reaches.get(tokenId)!), { key, occurredAt: recall.at, block });
      }),
    );
  }

  private async reachesOf(tx: TenantTx, roots: readonly bigint[]): Promise<ReadonlyMap<bigint, Reach>> {
    const reaches = await this.lineage.reachOfEach(tx, roots, BOUNDS);
    const lots = [...new Set([...roots, ...[...reaches.values()].flatMap((reach) => reach.lots)])];
    const known = new Map((await this.tracebacks.of(tx, lots, null)).map((lot) => [lot.tokenId, lot]));
    return new Map([...reaches].map(([root, reach]) => [root, reachOf(root, reach, known)]));
  }
}

const LISTED = 100;

/** The reach of a recall, as published. */
interface Reach {
  /** The recalled lot; undefined only for an unknown lot. */
  readonly root: { readonly tlc: string; readonly assetType: string | null } | undefined;
  /** Affected lots, nearest first, containers that merely hold one left out. */
  readonly affected: readonly bigint[];
  readonly truncated: boolean;
  readonly affectedActors: readonly string[];
  readonly estimatedUnits: number;
}

type KnownLot = AffectedFacts & { readonly tlc: string; readonly assetType: string | null };

/** Sums up what a recalled lot reaches. @param lots nearest first, without the lot itself */
function reachOf(
  root: bigint,
  { lots, truncated }: { readonly lots: readonly bigint[]; readonly truncated: boolean },
  known: ReadonlyMap<bigint, KnownLot>,
): Reach {
  const counted = [root, ...lots].flatMap((tokenId) => known.get(tokenId) ?? []);
  return {
    root: known.get(root),
    affected: lots,
    truncated,
    affectedActors: actorsOf(counted),
    estimatedUnits: counted.reduce((sum, lot) => sum + unitsOf(lot), 0),
  };
}

export function nftRecalledPayload(recall: Recall, tokenId: bigint, tenantSlug: string, reach: Reach): NftRecalled {
  const { notice } = recall;
  const { root, affected, truncated } = reach;
  return {
    tenantId: tenantSlug,
    chainId: recall.chainId,
    contractAddress: recall.contract,
    txHash: recall.txHash,
    blockNumber: recall.block,
    occurredAt: recall.at.toISOString(),
    tokenId: Number(tokenId),
    tlc: root?.tlc ?? null,
    assetType: root?.assetType ?? null,
    reason: notice.reason,
    recallClass: notice.recallClass,
    depth: notice.depth,
    propagation: notice.propagation,
    reference: notice.reference,
    recalledBy: recall.recalledBy,
    senderMismatch: recall.senderMismatch,
    preparedSender: recall.preparedSender,
    affectedCount: affected.length,
    affectedTokenIds: affected.slice(0, LISTED).map(Number),
    affectedTruncated: truncated || affected.length > LISTED,
    affectedActors: reach.affectedActors,
    estimatedUnits: truncated ? null : reach.estimatedUnits,
    impactUrl: `/api/v1/nfts/${tokenId}/recall-impact`,
  };
}

/** The same fact has the same key wherever a reorg lands its transaction. */
export const recalledKey = (recall: Recall, tokenId: bigint): string =>
  ['nft.recalled', recall.chainId, recall.txHash, recall.txLogIndex, tokenId].join(':');
