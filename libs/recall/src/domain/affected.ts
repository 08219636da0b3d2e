/** A lot as the reach of a recall looks at it: a part of traceability's `LotTrace`. Quantities in millionths, masses in kilograms. */
export interface AffectedFacts {
  readonly tokenId: bigint;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  /** Everybody else who ever held it. */
  readonly pastCustodians: readonly string[];
  readonly status: string;
  readonly usedUp: boolean;
  readonly retireReason: string | null;
  readonly isContainer: boolean;
  readonly remaining: bigint | null;
  /** Sold, exported or lost in part, whatever became of the rest. */
  readonly outThere: bigint;
  readonly uom: string | null;
  readonly unitKg: number | null;
  readonly recallUnit: { readonly massKg: number } | null;
}

/** Units that count pieces: a unit is a unit, whatever it weighs. */
const PIECES = new Set(['H87', 'C62', 'EA']);
/** Retired this way, goods are gone for good; sold, exported or lost they are out there, and what a recall is for. */
const GONE = new Set(['disposed', 'destroyed', 'sampled', 'voided', 'unpacked', 'migrated']);

/** Who holds, is about to hold or once held recalled or affected goods: sorted, unique, EIP-55. */
export function actorsOf(lots: readonly Pick<AffectedFacts, 'custodian' | 'pendingCustodian' | 'pastCustodians'>[]): string[] {
  const actors = new Set<string>();
  for (const { custodian, pendingCustodian, pastCustodians } of lots) {
    actors.add(custodian);
    if (pendingCustodian) actors.add(pendingCustodian);
    for (const address of pastCustodians) actors.add(address);
  }
  return [...actors].toSorted();
}

/**
 * How much of a lot counts, in millionths; null for an unmeasured lot that does. Containers and what was used up or is gone for good count
 * nothing: what is in them, and what was made of it, counts itself. What went out in part counts whatever became of the rest.
 */
export function countedOf(lot: AffectedFacts): bigint | null {
  if (lot.isContainer) return 0n;
  // Not by its status: a used-up lot that is recalled shows `recalled`.
  if (lot.usedUp || (lot.status === 'retired' && GONE.has(lot.retireReason ?? ''))) return lot.outThere;
  return lot.remaining === null ? null : lot.remaining + lot.outThere;
}

/** Consumer units of one lot (domain-decisions §3): by the recall unit of its asset type, else pieces as they are, else the lot is one. */
export function unitsOf(lot: AffectedFacts): number {
  const micro = countedOf(lot);
  if (micro === null) return 1;
  if (micro === 0n) return 0;
  const counted = Number(micro) / 1e6;
  if (lot.recallUnit && lot.unitKg !== null) return ceil((counted * lot.unitKg) / lot.recallUnit.massKg);
  return lot.uom !== null && PIECES.has(lot.uom) ? ceil(counted) : 1;
}

/** Binary noise of a division must not make a bag of it. */
const ceil = (units: number): number => Math.ceil(units - 1e-9);
