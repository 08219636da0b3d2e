import type { LotView } from '#client';
import { readNumber, showExact, writeNumber } from '../state/numbers';
import { t } from '../state/language';

interface Part {
  /** A part of the lot; null = all of it. */
  readonly quantity: { readonly value: number; readonly uom: string } | null;
  /** What is wrong with the text. */
  readonly fault?: string;
}

/** How much of a lot a text means: nothing typed is all of it. */
export function readQuantity(typed: string, { uom, remainingQuantity }: Pick<LotView, 'uom' | 'remainingQuantity'>): Part {
  if (typed.trim() === '' || uom === null) return { quantity: null };
  const most = remainingQuantity === null ? null : Number(remainingQuantity);
  const read = readNumber(typed);
  if (read.kind === 'text') return { quantity: null, fault: t('Enter a number.') };
  if (read.kind === 'ambiguous') {
    const [thousands, decimals] = read.readings;
    return {
      quantity: null,
      fault: t('Do you mean {thousands} or {decimals}? Write {first} or {second}.', {
        thousands: showExact(thousands),
        decimals: showExact(decimals),
        first: String(thousands),
        second: writeNumber(decimals),
      }),
    };
  }
  if (read.value <= 0) return { quantity: null, fault: t('Enter a number above 0.') };
  if (most !== null && read.value > most) return { quantity: null, fault: t('The lot has {amount} left.', { amount: showExact(most) }) };
  return { quantity: { value: read.value, uom } };
}
