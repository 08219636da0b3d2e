import type { TenantTx } from '#persistence';
import type { CheckedPointer, PointerSubject } from '../../domain/data-reference/pointer.js';

/** What was known of these subjects is replaced, and the counts move by the difference, in one order of locks for all writers. */
export async function savePointers(
  tx: TenantTx,
  subjects: readonly PointerSubject[],
  pointers: readonly CheckedPointer[],
  at: Date,
): Promise<void> {
  const found = new Map(pointers.map((pointer) => [pointer.id, pointer]));
  await tx.sql(SAVE, [
    tx.tenantId,
    subjects.map(({ kind }) => kind),
    subjects.map(({ id }) => id),
    JSON.stringify([...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(columnsOf)),
    at,
  ]);
}

const columnsOf = ({ subject, ...pointer }: CheckedPointer): object => ({
  id: pointer.id,
  kind: pointer.kind,
  subject_kind: subject.kind,
  subject_id: subject.id,
  token_id: subject.tokenId,
  tlc: subject.tlc,
  process_type: subject.processType,
  value: pointer.value,
  resolved: pointer.resolved,
  matches: pointer.matches,
  status: pointer.status,
  detail: pointer.detail,
  org_ids: subject.orgIds,
  latency_ms: pointer.latencyMs,
});

/** All parts of the statement see the rows as they were before it. */
const SAVE = `with fresh as (
    select * from jsonb_to_recordset($4::jsonb) as f(id text, kind text, subject_kind text, subject_id text, token_id bigint, tlc text, process_type text,
      value text, resolved boolean, matches boolean, status text, detail text, org_ids text[], latency_ms integer)
  ), known as (
    select p.id, p.kind, p.status, p.org_id, (p.checked_at at time zone 'utc')::date as day, p.resolved and p.matches as matching
    from reports.pointer p
    join unnest($2::text[], $3::text[]) as s(kind, id) on s.kind = p.subject_kind and s.id = p.subject_id
    where p.tenant_id = $1 for update of p
  ), gone as (
    delete from reports.pointer p using known k where p.tenant_id = $1 and p.id = k.id and not exists (select from fresh f where f.id = k.id)
  ), kept as (
    insert into reports.pointer (tenant_id, id, kind, subject_kind, subject_id, token_id, tlc, process_type, value, resolved, matches, status, detail,
      org_ids, latency_ms, checked_at)
    select $1, f.*, $5 from fresh f
    on conflict (tenant_id, id) do update set tlc = excluded.tlc, process_type = excluded.process_type, resolved = excluded.resolved,
      matches = excluded.matches, status = excluded.status, detail = excluded.detail, org_ids = excluded.org_ids, latency_ms = excluded.latency_ms,
      checked_at = excluded.checked_at
  ), moved as (
    select org_id, x.day, kind, status, sum(n) as n, sum(n) filter (where matching) as matching from (
      select coalesce(org_ids[1], '') as org_id, ($5::timestamptz at time zone 'utc')::date as day, kind, status, 1 as n, resolved and matches as matching
      from fresh
      union all select org_id, day, kind, status, -1, matching from known) d
    cross join lateral (values (d.day), ('-infinity'::date)) x(day)
    group by 1, 2, 3, 4 having sum(n) <> 0 or sum(n) filter (where matching) <> 0 order by 1, 2, 3, 4
  )
  insert into reports.pointer_tally as t (tenant_id, org_id, day, kind, status, n, matching)
  select $1, org_id, day, kind, status, n, coalesce(matching, 0) from moved
  on conflict (tenant_id, org_id, day, kind, status) do update set n = t.n + excluded.n, matching = t.matching + excluded.matching`;
