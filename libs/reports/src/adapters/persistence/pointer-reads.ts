import type { TenantTx } from '#persistence';
import type { PointerSubject } from '../../domain/data-reference/pointer.js';
import type { ListedPointer, PointerCount, PointerFilter } from '../../pointers.ports.js';

/** The sums of all are kept; those of a part are counted. */
export function countPointers(tx: TenantTx, filter: PointerFilter): Promise<readonly PointerCount[]> {
  const { where, parameters, narrowed } = conditionOf(tx, filter);
  return narrowed
    ? tx.sql<PointerCount>(
        `select p.kind, p.status, count(*)::float8 as n from reports.pointer p where ${where} group by 1, 2 order by 1, 2`,
        parameters,
      )
    : tx.sql<PointerCount>('select kind, status, n::float8 as n from reports.pointer_tally where tenant_id = $1 and n > 0 order by 1, 2', [
        tx.tenantId,
      ]);
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

function conditionOf(
  tx: TenantTx,
  filter: PointerFilter,
): { readonly where: string; readonly parameters: unknown[]; readonly narrowed: boolean } {
  const parameters: unknown[] = [tx.tenantId];
  const all = ['p.tenant_id = $1'];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== null) all.push(condition(`$${parameters.push(value)}`));
  };
  add((at) => `p.checked_at >= ${at}::timestamptz`, filter.from);
  add((at) => `p.checked_at < ${at}::timestamptz`, filter.to);
  add((orgId) => `${orgId} = any (p.org_ids)`, filter.orgId);
  add((patterns) => `(p.process_type is null or p.process_type like any (${patterns}::text[]))`, filter.processes);
  add((kind) => `p.kind = ${kind}`, filter.kind);
  add((status) => `p.status = ${status}`, filter.status);
  return { where: all.join(' and '), parameters, narrowed: all.length > 1 };
}
