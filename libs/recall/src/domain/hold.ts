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
}

export const QUALITY = 'quality';
