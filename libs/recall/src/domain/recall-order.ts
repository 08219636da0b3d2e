import type { Propagation, RecallClass, RecallDepth } from './recall-notice.js';

/** The contract's limits: lots in one `recallMany`, and in one `liftRecall`. */
export const MOST_RECALLED = 500;
export const MOST_LIFTED = 100;

/** The widest walk there is (api-decisions §4): what a recall reaches must be known whole. */
export const WHOLE_REACH = { maxDepth: 200, maxNodes: 20_000 };

/** The body of `POST /nfts/{tokenId}/recall/prepare`. */
export interface RecallInput {
  readonly reason: string;
  readonly recallClass?: RecallClass;
  readonly depth?: RecallDepth;
  readonly propagation?: Propagation;
  readonly reference?: string;
  readonly instructions?: string;
  readonly from?: string;
}

export interface ReachedForRecall {
  readonly tokenId: bigint;
  readonly relation: 'transformed' | 'contained' | 'container';
  readonly status: string;
  readonly recalled: boolean;
}

/**
 * The lots to flag on chain, root first: with propagation `recall` every live affected lot too, a container that merely holds one aside.
 * What is recalled already is left out, so that a recall of which a part has landed goes on with the rest.
 */
export function lotsToRecall(root: ReachedForRecall, reached: readonly ReachedForRecall[], propagation: Propagation): bigint[] {
  const live = (lot: ReachedForRecall): boolean => lot.status !== 'retired' && lot.status !== 'consumed';
  const affected = propagation === 'recall' ? reached.filter((lot) => lot.relation !== 'container' && live(lot)) : [];
  return [root, ...affected].filter(({ recalled }) => !recalled).map(({ tokenId }) => tokenId);
}

/** In the order given, no more than `most` in each. */
export function batches(tokenIds: readonly bigint[], most: number): bigint[][] {
  return Array.from({ length: Math.ceil(tokenIds.length / most) }, (_, i) => tokenIds.slice(i * most, (i + 1) * most));
}
