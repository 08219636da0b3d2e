/** An off-chain stop of a lot: by quality, or by a recall with propagation `hold`. Its source and lot are its key. */
export interface Hold {
  readonly tokenId: bigint;
  /** `quality`, or the id of the recall. */
  readonly source: string;
  readonly reason: string;
  /** User or API key id; the recalling address for one that a recall placed. */
  readonly by: string;
  readonly at: Date;
  /** Of the block that placed it; null when somebody did. */
  readonly block: number | null;
  /** keccak256 of the code of the lot that quality stopped; null for a recall's. After a reorganisation its number can mean another lot. */
  readonly tlcHash: string | null;
}

/** Who ends a hold: somebody, or the block in which the last lot of a recall was lifted. */
export interface Release {
  /** User or API key id, or the EIP-55 address of whoever lifted the recall. */
  readonly id: string;
  readonly at: Date;
}

export const QUALITY = 'quality';

/** A lot that a recall with propagation `hold` affects, since a block. */
export interface AffectedByRecall {
  readonly tokenId: bigint;
  readonly block: number;
  readonly at: Date;
  readonly recall: { readonly id: string; readonly reason: string | null; readonly recalledBy: string };
}

/** Once for each recall, however many of its lots affect the lot: since the first of them did. */
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
