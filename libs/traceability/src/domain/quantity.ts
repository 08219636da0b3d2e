import { fromMicro, kilogramsPer, toMicro, unitFactor } from '#kernel';
import { Decimal } from 'decimal.js';
import type { Quantity } from './event-reading.js';

const MAX_MICRO = 1n << 53n;

export type Converted = { readonly micro: bigint } | { readonly fault: 'unit_not_convertible' | 'quantity_out_of_range' };

/**
 * Millionths of `uom` for a stated quantity: stated with at most six decimals and below 2^53 millionths, converted by the exact
 * factor and rounded half to even at the sixth decimal (a pound is 0.45359237 kg).
 */
export function convert(quantity: Quantity, uom: string): Converted {
  const stated = toMicro(quantity.value);
  if (stated === null) return { fault: 'quantity_out_of_range' };
  const factor = unitFactor(quantity.uom, uom);
  if (factor === null) return { fault: 'unit_not_convertible' };
  const micro = BigInt(new Decimal(stated.toString()).times(factor).toFixed(0, Decimal.ROUND_HALF_EVEN));
  return micro > 0n && micro < MAX_MICRO ? { micro } : { fault: 'quantity_out_of_range' };
}

/** Kilograms of a quantity, or null where neither its unit nor the asset type says. */
export function massKg(micro: bigint, uom: string, massPerUnitKg: number | undefined): Decimal | null {
  const each = kilogramsPer(uom, massPerUnitKg);
  return each && new Decimal(fromMicro(micro)).times(each);
}

export const OUT_OF_RANGE = 'must have at most six decimals and stay below 2^53 millionths';
