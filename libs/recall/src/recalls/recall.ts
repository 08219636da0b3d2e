import { type Signature, derivedId } from '#kernel';

/** Where a recall landed. */
interface RecallLanding extends Signature {
  readonly chainId: number;
  readonly contract: string;
  /** EIP-55 of the signer. */
  readonly recalledBy: string;
  readonly dataHash: string;
  readonly at: Date;
  readonly block: number;
  readonly txHash: string;
  readonly logIndex: number;
  /** Among the logs of its transaction; survives a reorg. */
  readonly txLogIndex: number;
}

/** One call of `recall` or `recallMany`: the lots it flagged and what was said about them. */
export interface Recall extends RecallLanding {
  readonly id: string;
  readonly tokenIds: readonly bigint[];
  readonly notice: RecallNotice;
  /** False while the notice could not be read: it is tried again. */
  readonly resolved: boolean;
}

export function landedRecall(landing: RecallLanding, tokenIds: readonly bigint[], notice: RecallNotice, resolved: boolean): Recall {
  const id = derivedId('recall', landing.chainId, landing.contract, landing.txHash, landing.txLogIndex);
  return { ...landing, id, tokenIds, notice, resolved };
}

export const RECALL_CLASSES = ['I', 'II', 'III', 'withdrawal', 'unclassified'] as const;
export const RECALL_DEPTHS = ['consumer', 'retail', 'wholesale'] as const;
export const PROPAGATIONS = ['none', 'flag', 'hold', 'recall'] as const;

export type RecallClass = (typeof RECALL_CLASSES)[number];
/** How far down the chain the goods are to be taken back: 21 CFR 7.42(b). */
export type RecallDepth = (typeof RECALL_DEPTHS)[number];
export type Propagation = (typeof PROPAGATIONS)[number];

/** What the recalling party said, stored by content; the chain has its hash (docs/spec/domain.md#recall). */
export interface RecallNotice {
  readonly reason: string | null;
  readonly recallClass: RecallClass | null;
  readonly depth: RecallDepth | null;
  /** `flag` where the notice does not say. */
  readonly propagation: Propagation;
  readonly reference: string | null;
  readonly instructions: string | null;
  /** What it reached when it was prepared, and as of which block; null where the notice does not say. */
  readonly prepared: { readonly affected: number; readonly block: number } | null;
}

/** A recall without a readable notice: sent to the contract directly, or its content is away. */
export const NO_NOTICE: RecallNotice = {
  reason: null,
  recallClass: null,
  depth: null,
  propagation: 'flag',
  reference: null,
  instructions: null,
  prepared: null,
};

/** What the service itself stores is smaller; more is not read. */
const MAX_BYTES = 512 * 1024;
const MAX_TEXT = 10_000;

/**
 * Reads `metadata` of the stored envelope; null when it is no envelope. Anybody can put any bytes there, so what does not fit counts as
 * not said, and no text of it may stop indexing: PostgreSQL has no U+0000.
 */
export function recallNotice(bytes: Uint8Array): RecallNotice | null {
  const envelope = bytes.length <= MAX_BYTES ? objectIn(bytes) : null;
  const said = membersOf(envelope?.['metadata']);
  if (said === null) return null;
  const text = (value: unknown): string | null =>
    typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT).replaceAll('\0', '\u{fffd}') : null;
  return {
    reason: text(said['reason']),
    recallClass: oneOf(RECALL_CLASSES, said['recallClass']),
    depth: oneOf(RECALL_DEPTHS, said['depth']),
    propagation: oneOf(PROPAGATIONS, said['propagation']) ?? 'flag',
    reference: text(said['reference']),
    instructions: text(said['instructions']),
    prepared: preparedIn(membersOf(envelope!['affected'])),
  };
}

function objectIn(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    return membersOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    return null;
  }
}

const membersOf = (value: unknown): Record<string, unknown> | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

function preparedIn(affected: Record<string, unknown> | null): RecallNotice['prepared'] {
  const [count, block] = [affected?.['count'], affected?.['block']];
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
  return isCount(count) && isCount(block) ? { affected: count, block } : null;
}

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | null => values.find((known) => known === value) ?? null;

/** The contract's limits: lots in one `recallMany`, and in one `liftRecall`. */
export const MOST_RECALLED = 500;
export const MOST_LIFTED = 100;

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
  readonly relation: 'part' | 'transformed' | 'contained' | 'container';
  readonly status: string;
  readonly recalled: boolean;
}

/**
 * The lots to flag on chain, root first. With propagation `recall` every live affected lot too, but no container that only holds one.
 * Lots that are already recalled are left out, so a recall of which a part has landed continues with the rest.
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
