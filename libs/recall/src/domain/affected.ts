import { fromMicro } from '#kernel';

/** UNECE codes that count pieces: a unit is a unit, whatever it weighs. */
const PIECES = new Set(['H87', 'C62', 'EA']);

export interface AffectedFacts {
  readonly tokenId: bigint;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  readonly status: string;
  readonly isContainer: boolean;
  readonly remaining: bigint | null;
  readonly uom: string | null;
}

/** Who holds or is about to hold recalled or affected goods: sorted, unique, EIP-55. */
export const affectedActors = (lots: readonly AffectedFacts[]): string[] =>
  [
    ...new Set(lots.flatMap(({ custodian, pendingCustodian }) => (pendingCustodian ? [custodian, pendingCustodian] : [custodian]))),
  ].toSorted();

/**
 * Consumer units in the recalled and affected lots (domain-decisions §3), where the lots themselves tell: pieces count as
 * they are, containers and used-up lots not at all. Null as soon as one lot needs what only its process map or its
 * retirement says; a guess would be read as a fact.
 */
export function estimatedUnits(lots: readonly AffectedFacts[]): number | null {
  let units = 0;
  for (const lot of lots) {
    if (lot.isContainer || lot.status === 'consumed' || lot.remaining === 0n) continue;
    if (lot.status === 'retired' || lot.remaining === null || lot.uom === null || !PIECES.has(lot.uom)) return null;
    units += Math.ceil(Number(fromMicro(lot.remaining)));
  }
  return units;
}
