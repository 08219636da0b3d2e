/** What the sponsor sent with one of its nonces. Amounts in wei. */
export interface SponsorTransaction {
  readonly nonce: number;
  /** `fill` uses up a nonce that nothing else needs any more. */
  readonly kind: 'relay' | 'deploy' | 'fill';
  readonly tenantId: string | null;
  readonly relayId: string | null;
  readonly to: string;
  readonly data: string;
  readonly gasLimit: bigint;
  readonly maxFee: bigint;
  readonly tip: bigint;
  /** The last one that was sent. */
  readonly raw: string;
  /** Of all that were sent, the last one at the end. */
  readonly hashes: readonly string[];
  readonly sentAt: Date;
  readonly minedHash: string | null;
  readonly blockNumber: number | null;
  /** What it cost; 0 while no block has it. */
  readonly wei: bigint;
  /** Final: not followed any more. */
  readonly settled: boolean;
}

/** Nodes take a replacement that pays at least a tenth more. */
const LEAST_PERCENT = 110n;
const MORE_PERCENT = 115n;
const times = (wei: bigint, percent: bigint): bigint => (wei * percent) / 100n + 1n;
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export interface Price {
  readonly maxFee: bigint;
  readonly tip: bigint;
}

/** Wei per gas that a transaction may pay, so that it costs no more than was reserved for it. */
export const mostFor = (reserved: bigint, gasLimit: bigint): bigint => reserved / gasLimit;

/** @param most wei per gas @returns null where no block would take it for that */
export function within({ base, maxFee, tip }: Price & { readonly base: bigint }, most: bigint): Price | null {
  return base + tip > most ? null : { maxFee: smaller(maxFee, most), tip };
}

/**
 * Fees of a replacement: what is asked now, but enough more than before.
 * @param most wei per gas @returns null where nodes would not take a replacement for that
 */
export function replacing(before: Price, now: Price, most: bigint | null): Price | null {
  const wanted = { maxFee: larger(times(before.maxFee, MORE_PERCENT), now.maxFee), tip: larger(times(before.tip, MORE_PERCENT), now.tip) };
  if (most === null) return wanted;
  const [maxFee, tip] = [smaller(wanted.maxFee, most), smaller(wanted.tip, most)];
  return maxFee < times(before.maxFee, LEAST_PERCENT) || tip < times(before.tip, LEAST_PERCENT) ? null : { maxFee, tip };
}

/** A relay that no block has so long after its deadline never lands: the account refuses it. */
const GRACE_MS = 15_000;
export const isTooLate = (deadline: Date, at: Date): boolean => at.getTime() > deadline.getTime() + GRACE_MS;

/**
 * Nonces that must be used before those that are known: of transactions that this database does not know, because it was restored, or
 * another program uses the key.
 * @param next the sender's next nonce on chain
 */
export function gapsBefore(next: number, open: readonly Pick<SponsorTransaction, 'nonce'>[]): readonly number[] {
  const used = new Set(open.map(({ nonce }) => nonce));
  const last = Math.max(...used, next - 1);
  return Array.from({ length: Math.max(0, last - next) }, (_, i) => next + i).filter((nonce) => !used.has(nonce));
}

export const nextNonce = (next: number, open: readonly Pick<SponsorTransaction, 'nonce'>[]): number =>
  Math.max(next, ...open.map(({ nonce }) => nonce + 1));
