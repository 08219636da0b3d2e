import { type Actor, type Role, hasRole } from '#kernel';
import { ownOrganisationOnly } from '../errors.js';

/** What part of a tenant's data a report covers, and where the page begins. */
export interface ReportScope {
  /** By the events' own time: `from` included, `to` excluded; null = open. */
  readonly from: Date | null;
  readonly to: Date | null;
  readonly organisation: { readonly orgId: string; readonly wallets: readonly string[] } | null;
  /** Whether the caller reads restricted data of every organisation, or of its own organisation only. */
  readonly readsAll: boolean;
  /** LIKE patterns of the process types that the caller may read (docs/spec/service.md#roles-and-scopes); null = every process. */
  readonly processes: readonly string[] | null;
  readonly limit: number;
  /** `next` of the page before; null for the first page. */
  readonly after: readonly string[] | null;
  /** The parameters of this report; allowed values were checked. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
}

/** Projected blocks that figures are based on. */
export interface AsOf {
  readonly head: number;
  readonly final: number;
}

/** Everything up to here is included in both. */
export const earlierOf = (a: AsOf | undefined, b: AsOf | undefined): AsOf | undefined => (a && b && b.head < a.head ? b : (a ?? b));

/** One page of rows, and what holds over all rows. */
export interface ReportPage<Row extends object = object> {
  readonly summary: object;
  readonly rows: readonly Row[];
  /** Number of all rows; null if counting would cost more than reading. */
  readonly total: number | null;
  /** Where the next page begins; null after the last page. */
  readonly next: readonly string[] | null;
  /** Further members of the response: `lists` and `objects` of the definition. */
  readonly extra?: Readonly<Record<string, object>>;
  /** Given if it is not the last projected block. */
  readonly asOf?: AsOf;
  /** Further columns of the table, behind those of the definition, and further worksheets: both of all pages alike. */
  readonly columns?: readonly string[];
  readonly sheets?: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

/** A page with the time and the block it was read at. */
export interface ReportResult extends ReportPage {
  readonly generatedAt: Date;
  readonly asOf: AsOf;
  readonly orgId: string | null;
  /** Made of the events themselves, as they were at that time; false for what was cached, or summed before. */
  readonly isLive: boolean;
}

/** A page of rows that are all in memory. The place is the number of rows before it. */
export function pageOf<Row extends object>(
  rows: readonly Row[],
  { limit, after }: Pick<ReportScope, 'limit' | 'after'>,
): Pick<ReportPage<Row>, 'rows' | 'total' | 'next'> {
  const start = after ? Number(after[0]) : 0;
  const end = start + limit;
  return { rows: rows.slice(start, end), total: rows.length, next: end < rows.length ? [String(end)] : null };
}

/** docs/spec/api.md#identity, row "reports". */
export const REPORT_READERS: readonly Role[] = ['ADMIN', 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'];

/** Whether the caller reads the restricted data of every organisation (docs/spec/api.md#identity). */
export const readsAll = (actor: Actor): boolean => hasRole(actor, 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN');

/**
 * docs/spec/api.md#identity, row "reports": auditors, compliance and tenant administrators read all organisations, an organisation's
 * administrator reads its own. @returns the organisation that the report covers; null = all
 */
export function reportedOrganisation(actor: Actor, orgId: string | undefined): string | null {
  if (readsAll(actor)) return orgId ?? null;
  if (actor.orgId === null || (orgId ?? actor.orgId) !== actor.orgId) throw ownOrganisationOnly();
  return actor.orgId;
}

/** A figure as the database returns it; null = unknown. */
export type Figure = string | number | null;

/** Quantities and ratios have six decimals (docs/spec/domain.md#reports). Never NaN: what is not a number is null. */
export function figure(value: Figure | undefined): number | null {
  if (value === null || value === undefined) return null;
  const number = Number(value);
  return Number.isFinite(number) ? Number(number.toFixed(6)) : null;
}

/** a / b; null if one is unknown or b is zero. */
export function ratio(a: Figure | undefined, b: Figure | undefined): number | null {
  const [over, under] = [figure(a), figure(b)];
  return over === null || under === null || under === 0 ? null : figure(over / under);
}
