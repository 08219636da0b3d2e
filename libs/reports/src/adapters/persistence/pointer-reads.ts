import type { TenantTx } from '#persistence';
import type { PointerSubject } from '../../domain/data-reference/pointer.js';
import type { ListedPointer, PointerCount, PointerFilter } from '../../pointers.ports.js';
import { cutOf, wholeDays } from './whole-days.js';

/** Sums by organisation and day are kept; pointers are counted of the days that a period cuts, and of what only some may see. */
export function countPointers(tx: TenantTx, filter: PointerFilter): Promise<readonly PointerCount[]> {
  const periodless = filter.from === null && filter.to === null;
  const { where, parameters } =
    filter.processes === null && periodless ? { where: '', parameters: [tx.tenantId] } : conditionOf(tx, filter);
  const place = (value: unknown): string => `$${parameters.push(value)}`;
  const counted = (which: string): string =>
    `select p.kind, p.status, count(*) as n from reports.pointer p where ${where} and ${which} group by 1, 2`;
  const summed = (parts: string): Promise<PointerCount[]> =>
    tx.sql(`select kind, status, sum(n)::float8 as n from (${parts}) t group by 1, 2 having sum(n) > 0 order by 1, 2`, parameters);
  if (filter.processes !== null) return summed(counted('true'));
  if (periodless) return summed(tallied(filter, ["t.day = '-infinity'"], place));
  const whole = wholeDays(filter);
  const [first, last] = [whole?.from, whole?.to].map((day) => (day == null ? '' : `${place(day)}::date`)) as [string, string];
  const days = ["t.day > '-infinity'", ...(first ? [`t.day >= ${first}`] : []), ...(last ? [`t.day < ${last}`] : [])];
  const cut = counted(cutOf('p.checked_at', filter, whole, first, last));
  return summed(whole ? `${tallied(filter, days, place)} union all ${cut}` : cut);
}

function tallied({ orgId, kind, status }: PointerFilter, days: readonly string[], place: (value: unknown) => string): string {
  const all = ['t.tenant_id = $1', ...days];
  for (const [column, value] of Object.entries({ org_id: orgId, kind, status }))
    if (value !== null) all.push(`t.${column} = ${place(value)}`);
  return `select t.kind, t.status, t.n from reports.pointer_tally t where ${all.join(' and ')}`;
}

/** What is wrong first, then by kind and id. */
export function pagePointers(
  tx: TenantTx,
  filter: PointerFilter,
  after: readonly string[] | null,
  limit: number,
): Promise<readonly ListedPointer[]> {
  const { where, parameters } = conditionOf(tx, filter);
  const place = (value: unknown): string => `$${parameters.push(value)}`;
  const next = after === null ? '' : `and (p.rank, p.kind, p.id) > (${place(after[0])}::smallint, ${place(after[1])}, ${place(after[2])})`;
  return tx.sql<ListedPointer>(
    `select p.id as "pointerId", p.kind, p.subject_kind as "subjectKind", p.subject_id as "subjectId", p.token_id::float8 as "tokenId", p.tlc, p.value,
       p.resolved, p.matches, p.status, p.rank, p.checked_at as "checkedAt", p.latency_ms as "latencyMs", p.detail
     from reports.pointer p where ${where} ${next} order by p.rank, p.kind, p.id limit ${place(limit)}`,
    parameters,
  );
}

export function stalestPointers(
  tx: TenantTx,
  filter: PointerFilter,
  most: number,
): Promise<readonly Pick<PointerSubject, 'kind' | 'id'>[]> {
  const { where, parameters } = conditionOf(tx, filter);
  const place = `$${parameters.push(most)}`;
  return tx.sql(
    `select distinct kind, id from (
       (select p.subject_kind as kind, p.subject_id as id from reports.pointer p where ${where} and p.status in ('mismatch', 'unresolved')
        order by p.kind, p.id limit ${place})
       union all
       (select p.subject_kind, p.subject_id from reports.pointer p where ${where} order by p.checked_at, p.id limit ${place})
       limit ${place}) few`,
    parameters,
  );
}

function conditionOf(tx: TenantTx, filter: PointerFilter): { readonly where: string; readonly parameters: unknown[] } {
  const parameters: unknown[] = [tx.tenantId];
  const all = ['p.tenant_id = $1'];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== null) all.push(condition(`$${parameters.push(value)}`));
  };
  add((at) => `p.checked_at >= ${at}::timestamptz`, filter.from);
  add((at) => `p.checked_at < ${at}::timestamptz`, filter.to);
  add((orgId) => `p.org_id = ${orgId}`, filter.orgId);
  add((patterns) => `(p.process_type is null or p.process_type like any (${patterns}::text[]))`, filter.processes);
  add((kind) => `p.kind = ${kind}`, filter.kind);
  add((status) => `p.status = ${status}`, filter.status);
  return { where: all.join(' and '), parameters };
}
