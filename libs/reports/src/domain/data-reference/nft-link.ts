import type { Verdict } from './pointer.js';

/** What the projection says of a lot. Quantities in millionths of its unit. */
export interface RecordedLot {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly custodian: string;
  readonly retired: boolean;
  /** A void frees its code for another lot. */
  readonly voided: boolean;
  readonly recalled: boolean;
  readonly usedUp: boolean;
  readonly inTransit: boolean;
  readonly contained: boolean;
  /** Null for an unmeasured lot. */
  readonly remaining: bigint | null;
}

/** What the contract says of it at the block that is projected; null = it has no such token. */
export interface ChainLot {
  readonly custodian: string;
  readonly status: 'active' | 'in_transit' | 'aggregated' | 'consumed' | 'recalled' | 'retired';
  readonly recalled: boolean;
  readonly remaining: bigint;
  readonly uncounted: boolean;
  /** Token that has the code of the record; 0 = none. */
  readonly tokenOfTlc: bigint;
}

/** Resolves when the token exists, matches when custodian, status, quantity and code are what the record says. */
export function nftLink(lot: RecordedLot, chain: ChainLot | null): Verdict {
  if (chain === null) return { resolved: false, matches: null, detail: `The contract has no token ${lot.tokenId}.` };
  const wrong = [
    ...differing('the custodian', chain.custodian, lot.custodian),
    ...differing('the status', chain.status, statusOf(lot)),
    // What is left of a retired lot is what was retired, and means nothing any more.
    ...(lot.retired || lot.remaining === null || chain.uncounted
      ? []
      : differing('the remaining millionths', chain.remaining, lot.remaining)),
    ...(lot.voided || chain.tokenOfTlc === lot.tokenId
      ? []
      : [`the code ${lot.tlc} is that of ${chain.tokenOfTlc === 0n ? 'no token' : `token ${chain.tokenOfTlc}`}`]),
  ];
  return wrong.length === 0
    ? { resolved: true, matches: true, detail: `Token ${lot.tokenId} is on chain as recorded.` }
    : { resolved: true, matches: false, detail: `Token ${lot.tokenId} (${lot.tlc}): ${wrong.join('; ')}.` };
}

/** In the order of the contract, where a lot in a container is in transit with it and says aggregated. */
function statusOf(lot: RecordedLot): ChainLot['status'] {
  if (lot.retired) return 'retired';
  if (lot.recalled) return 'recalled';
  if (lot.usedUp) return 'consumed';
  if (lot.contained) return 'aggregated';
  return lot.inTransit ? 'in_transit' : 'active';
}

const differing = (what: string, chain: string | bigint, record: string | bigint): string[] =>
  chain === record ? [] : [`${what} is ${chain} on chain and ${record} in the record`];
