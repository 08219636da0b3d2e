/** An off-chain stop of a lot: by quality, or by a recall with propagation `hold`. Its source and lot are its key. */
export interface Hold {
  readonly tokenId: bigint;
  /** `quality`, or the id of the recall. */
  readonly source: string;
  readonly reason: string;
  /** User or API key id; the recalling address for one that a recall placed. */
  readonly by: string;
  readonly at: Date;
  /** The block that placed it; null when a user did. */
  readonly block: number | null;
  /** keccak256 of the code of the lot that quality stopped; null for a recall. After a reorganisation its number can belong to another lot. */
  readonly tlcHash: string | null;
}

/** Who ends a hold: a user, or the block in which the last lot of a recall was lifted. */
export interface Release {
  /** User or API key id, or the EIP-55 address that lifted the recall. */
  readonly id: string;
  readonly at: Date;
}

/** A part that was made of a lot in a block. */
export interface Split {
  readonly tokenId: bigint;
  readonly partId: bigint;
  readonly at: Date;
  readonly block: number;
}

export const QUALITY = 'quality';

/** A recall whose propagation is `hold`, with the lots that are recalled by it. */
export interface HoldingRecall {
  readonly id: string;
  readonly reason: string | null;
  readonly recalledBy: string;
  readonly roots: readonly bigint[];
}

/** A lot that a recall with propagation `hold` affects, since a block. */
interface AffectedByRecall {
  readonly tokenId: bigint;
  readonly block: number;
  readonly at: Date;
  readonly recall: Omit<HoldingRecall, 'roots'>;
}

/** One hold for each recall and lot, since the first of the recalled lots affected it. */
export function heldBy(affected: readonly AffectedByRecall[]): Hold[] {
  const holds = new Map<string, Hold>();
  for (const { tokenId, block, at, recall } of affected) {
    const key = `${tokenId}:${recall.id}`;
    const known = holds.get(key);
    if (known && known.block! <= block) continue;
    const reason = recall.reason ?? 'recalled upstream';
    holds.set(key, { tokenId, source: recall.id, reason, by: recall.recalledBy, at, block, tlcHash: null });
  }
  return [...holds.values()];
}
