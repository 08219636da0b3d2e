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
    select p.id, p.kind, p.status from reports.pointer p
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
    select kind, status, sum(n) as n from (
      select kind, status, 1 as n from fresh union all select kind, status, -1 from known) d
    group by kind, status having sum(n) <> 0 order by kind, status
  )
  insert into reports.pointer_tally as t (tenant_id, kind, status, n) select $1, kind, status, n from moved
  on conflict (tenant_id, kind, status) do update set n = t.n + excluded.n`;
