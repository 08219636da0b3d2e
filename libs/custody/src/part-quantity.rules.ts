import { type Problem, fromMicro, toMicro, unitFactor } from '#kernel';
import { Decimal } from 'decimal.js';

/** "All that remains" on chain. */
export const ALL = (1n << 256n) - 1n;

/** A part of a lot, in a unit that converts to the lot's own. */
export interface PartQuantity {
  readonly value: number | string;
  readonly uom: string;
}

/** What a part is taken from. */
interface WholeLot {
  readonly tokenId: bigint;
  readonly isContainer: boolean;
  readonly remaining: bigint | null;
  readonly uom: string | null;
}

/**
 * Millionths of the lot's own unit, from 1 to what remains; rounded half to even at the sixth decimal.
 * @param pointer of the quantity in the request
 * @returns the problem where there is no such part: containers and lots without a quantity have none
 */
export function partOf(lot: WholeLot, { value, uom }: PartQuantity, pointer: string): bigint | Problem {
  const problem = (code: string, message: string, at = ''): Problem => ({ pointer: `${pointer}${at}`, code, message });
  if (lot.isContainer || lot.remaining === null || lot.uom === null)
    return problem('whole_only', `lot ${lot.tokenId} has no quantity of its own, so it has no parts: name it without one`);
  const factor = unitFactor(uom, lot.uom);
  if (factor === null)
    return problem('unit_not_convertible', `${uom} does not convert to ${lot.uom}, the unit of lot ${lot.tokenId}`, '/uom');
  const stated = toMicro(value);
  if (stated === null)
    return problem('quantity_out_of_range', 'must be positive, with at most six decimals and below 2^53 millionths', '/value');
  const micro = BigInt(new Decimal(stated.toString()).times(factor).toFixed(0, Decimal.ROUND_HALF_EVEN));
  if (micro > lot.remaining)
    return problem('over_consumption', `lot ${lot.tokenId} has ${fromMicro(lot.remaining)} ${lot.uom} left`, '/value');
  return micro > 0n ? micro : problem('quantity_out_of_range', 'is less than a millionth of the lot’s unit', '/value');
}
