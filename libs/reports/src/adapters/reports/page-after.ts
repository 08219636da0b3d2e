import type { Outcome, Scope } from '../../ports.js';

/** A page of rows that are all at hand, because what they sum up has to be read whole anyway. */
export function pageAfter<Row extends object>(
  rows: readonly Row[],
  { limit, after }: Pick<Scope, 'limit' | 'after'>,
): Pick<Outcome<Row>, 'rows' | 'total' | 'next'> {
  const start = after ? Number(after[0]) : 0;
  const end = start + limit;
  return { rows: rows.slice(start, end), total: rows.length, next: end < rows.length ? [String(end)] : null };
}
