import type { ChainFacts } from '#kernel';
import { type AffectedFacts, actorsOf, unitsOf } from './affected.js';
import type { Recall } from './recall.js';

const LISTED = 100;

/** `data` of the topic `nft.recalled` (domain-decisions §5): one per recalled lot. */
export interface NftRecalled extends ChainFacts {
  readonly tokenId: number;
  readonly tlc: string | null;
  readonly assetType: string | null;
  readonly reason: string | null;
  readonly recallClass: string | null;
  readonly depth: string | null;
  readonly propagation: string;
  readonly reference: string | null;
  readonly recalledBy: string;
  readonly affectedCount: number;
  /** The first 100, nearest first. */
  readonly affectedTokenIds: readonly number[];
  /** True when not all affected lots are listed, or the walk was cut. */
  readonly affectedTruncated: boolean;
  readonly affectedActors: readonly string[];
  /** Null when the walk was cut: a part of a sum would be read as the sum. */
  readonly estimatedUnits: number | null;
  readonly impactUrl: string;
}

/** What is told of a recall's reach. */
export interface Reach {
  /** The recalled lot; undefined only for a lot that the projection does not know. */
  readonly root: { readonly tlc: string; readonly assetType: string | null } | undefined;
  /** Affected lots, nearest first, containers that merely hold one left out. */
  readonly affected: readonly bigint[];
  readonly truncated: boolean;
  readonly affectedActors: readonly string[];
  readonly estimatedUnits: number;
}

type KnownLot = AffectedFacts & { readonly tlc: string; readonly assetType: string | null };

/** Sums up what a recalled lot reaches. @param lots nearest first, without the lot itself */
export function reachOf(
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

export function nftRecalled(recall: Recall, tokenId: bigint, tenantSlug: string, reach: Reach): NftRecalled {
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
