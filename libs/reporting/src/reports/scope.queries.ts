import type { TenantTx } from '#persistence';
import type { ReportScope } from './report.js';

/**
 * The condition on events `e` (with their time as `e.at`) for a report's scope. Text and parameters have the same shape for every scope, so
 * it stays one prepared statement. @param before parameters that come first, the tenant at the beginning
 */
export function eventsIn(
  tx: TenantTx,
  { from, to, organisation, processes }: Pick<ReportScope, 'from' | 'to' | 'organisation' | 'processes'>,
  before: readonly unknown[] = [tx.tenantId],
): { readonly where: string; readonly parameters: unknown[] } {
  const parameters: unknown[] = [...before];
  const all = ['e.tenant_id = $1'];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== null) all.push(condition(`$${parameters.push(value)}`));
  };
  add((at) => `e.at >= ${at}::timestamptz`, from);
  add((at) => `e.at < ${at}::timestamptz`, to);
  add((orgId) => `e.org_id = ${orgId}`, organisation?.orgId ?? null);
  add((patterns) => `e.process_type like any(${patterns}::text[])`, processes);
  return { where: all.join(' and '), parameters };
}

type Period = Pick<ReportScope, 'from' | 'to'>;

interface Days {
  readonly from: string | null;
  readonly to: string | null;
}

const DAY_MS = 86_400_000;
const dateOf = (days: number): string => new Date(days * DAY_MS).toISOString().slice(0, 10);

/** The UTC days that are completely inside the period; null if there are none. */
export function wholeDays({ from, to }: Period): Days | null {
  const first = from && Math.ceil(from.getTime() / DAY_MS);
  const end = to && Math.floor(to.getTime() / DAY_MS);
  if (first !== null && end !== null && first > end) return null;
  return { from: first === null ? null : dateOf(first), to: end === null ? null : dateOf(end) };
}

/** The condition for rows of a period that are not in its whole days. @param at their time @param first, last SQL of the whole days */
export function partialDays(at: string, { from, to }: Period, whole: Days | null, first: string, last: string): string {
  if (!whole) return 'true';
  const cuts = (time: Date | null): boolean => time !== null && time.getTime() % DAY_MS !== 0;
  const utc = (day: string): string => `(${day}::timestamp at time zone 'utc')`;
  const parts = [...(cuts(from) ? [`${at} < ${utc(first)}`] : []), ...(cuts(to) ? [`${at} >= ${utc(last)}`] : [])];
  return parts.length === 0 ? 'false' : `(${parts.join(' or ')})`;
}

/** SQL: one key for one place: the Digital Link of its GLN in any notation, else its identifier, else its name. */
export const locationKey = (location: string): string => `coalesce(
  'https://id.gs1.org/414/' || coalesce(${location} ->> 'gln', substring(${location} ->> 'id' from '/414/(\\d{13})$')),
  ${location} ->> 'id',
  'name:' || (${location} ->> 'name') || coalesce(', ' || (${location} ->> 'country'), ''))`;

/** The key of lots without a place that can be told apart. */
export const UNKNOWN_LOCATION = 'unknown';
