import { Decimal } from 'decimal.js';

/** Quantities are exact decimals with at most six places and below 2^53 millionths, never binary floats (docs/spec/api.md#events-and-transactions). */
const MICRO = 1_000_000n;
const MAX_MICRO = 1n << 53n;

/** UNECE Recommendation 20 codes that can be converted into each other. The factors are relative to the first unit of the family. */
const FAMILIES: readonly Readonly<Record<string, string>>[] = [
  { KGM: '1', GRM: '0.001', TNE: '1000', MGM: '0.000001', LBR: '0.45359237', ONZ: '0.028349523125', STN: '907.18474', LTN: '1016.0469088' },
  { LTR: '1', MLT: '0.001', MTQ: '1000', CMQ: '0.001', HLT: '100' },
  { MTR: '1', CMT: '0.01', MMT: '0.001', KMT: '1000', INH: '0.0254', FOT: '0.3048', YRD: '0.9144' },
  { MTK: '1', CMK: '0.0001', HAR: '10000' },
  { H87: '1', C62: '1', EA: '1', DZN: '12', GRO: '144' },
];

/** Millionths of a unit, or null when the value has more than six decimals, is not positive or is too large. */
export function toMicro(value: number | string): bigint | null {
  const micro = new Decimal(value).times(1_000_000);
  if (!micro.isInteger() || micro.lte(0) || micro.gte(MAX_MICRO.toString())) return null;
  return BigInt(micro.toFixed(0));
}

/** Plain decimal text of millionths, without trailing zeros: 7004000000n → "7004". */
export function fromMicro(micro: bigint): string {
  const fraction = (micro % MICRO).toString().padStart(6, '0').replace(/0+$/, '');
  return `${micro / MICRO}${fraction && `.${fraction}`}`;
}

export const microToNumber = (micro: bigint): number => Number(fromMicro(micro));

/** Factor that converts `from` into `to`, or null when the units cannot be converted. */
export function unitFactor(from: string, to: string): Decimal | null {
  if (from === to) return new Decimal(1);
  const family = FAMILIES.find((f) => from in f && to in f);
  return family ? new Decimal(family[from]!).div(family[to]!) : null;
}

/** Mass of one unit in kilograms: from the unit itself, or else the asset type's `massPerUnitKg`; null when both are unknown. */
export function kilogramsPer(uom: string, massPerUnitKg: number | undefined): Decimal | null {
  return unitFactor(uom, 'KGM') ?? (massPerUnitKg === undefined ? null : new Decimal(massPerUnitKg));
}
