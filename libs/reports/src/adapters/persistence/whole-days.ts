import type { Scope } from '../../ports.js';

export interface Days {
  readonly from: string | null;
  readonly to: string | null;
}

const DAY_MS = 86_400_000;
const dayOf = (days: number): string => new Date(days * DAY_MS).toISOString().slice(0, 10);

/** The UTC days that lie in the period whole; null where none does. */
export function wholeDays({ from, to }: Pick<Scope, 'from' | 'to'>): Days | null {
  const first = from && Math.ceil(from.getTime() / DAY_MS);
  const end = to && Math.floor(to.getTime() / DAY_MS);
  if (first !== null && end !== null && first > end) return null;
  return { from: first === null ? null : dayOf(first), to: end === null ? null : dayOf(end) };
}

/** Of a relation within the period: which of it lies in days that the period cuts. @param at its time; first and last: the whole days */
export function cutOf(at: string, { from, to }: Pick<Scope, 'from' | 'to'>, whole: Days | null, first: string, last: string): string {
  if (!whole) return 'true';
  const cuts = (time: Date | null): boolean => time !== null && time.getTime() % DAY_MS !== 0;
  const utc = (day: string): string => `(${day}::timestamp at time zone 'utc')`;
  const parts = [...(cuts(from) ? [`${at} < ${utc(first)}`] : []), ...(cuts(to) ? [`${at} >= ${utc(last)}`] : [])];
  return parts.length === 0 ? 'false' : `(${parts.join(' or ')})`;
}
