import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { partialDays, wholeDays } from '../reports/scope.queries.js';
import type { CheckedPointer, PointerKind, PointerStatus, PointerSubject } from './pointer.js';
import type { PointingEvent } from './links.rules.js';

/** How far the background check of a tenant is. */
export interface PointerCursor {
  readonly eventBlock: number;
  readonly eventId: string | null;
  readonly tokenId: bigint;
  readonly lapBeganAt: Date;
  readonly lapEndedAt: Date | null;
}

export interface PointerCount {
  readonly kind: PointerKind;
  readonly status: PointerStatus;
  readonly n: number;
}

export interface StoredPointer {
  readonly pointerId: string;
  readonly kind: PointerKind;
  readonly subjectKind: 'lot' | 'event';
  readonly subjectId: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly value: string;
  readonly resolved: boolean | null;
  readonly matches: boolean | null;
  readonly status: PointerStatus;
  readonly rank: number;
  readonly checkedAt: Date;
  readonly latencyMs: number | null;
  readonly detail: string;
}

export interface PointerFilter {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly orgId: string | null;
  readonly processes: readonly string[] | null;
  readonly kind: PointerKind | null;
  readonly status: PointerStatus | null;
}

/** Checked pointers (`reporting.pointer`), their counts, and how far the background check is. */
@Injectable()
export class PointerQueries {
  /** A tenant whose check is due, leased; null if none is. */
  async acquire(tx: SystemTx, now: Date, leaseMs: number): Promise<string | null> {
    const adding = tx.sql(
      `insert into reporting.pointer_cursor (tenant_id, lap_started_at, next_at) select t.tenant_id, $1, $1 from identity.tenant_v1 t
       where not exists (select from reporting.pointer_cursor w where w.tenant_id = t.tenant_id) on conflict do nothing`,
      [now],
    );
    const acquiring = tx.sql<{ tenant_id: string }>(
      `update reporting.pointer_cursor w set next_at = $2
       from (select tenant_id from reporting.pointer_cursor where next_at <= $1 order by next_at limit 1 for update skip locked) due
       where w.tenant_id = due.tenant_id returning w.tenant_id`,
      [now, new Date(now.getTime() + leaseMs)],
    );
    const [[acquired]] = await Promise.all([acquiring, adding]);
    return acquired?.tenant_id ?? null;
  }

  async cursor(tx: TenantTx): Promise<PointerCursor> {
    const [row] = await tx.sql<Omit<PointerCursor, 'tokenId'> & { readonly tokenId: string }>(
      `select event_block::float8 as "eventBlock", event_id as "eventId", token_id as "tokenId", lap_started_at as "lapBeganAt", lap_ended_at as "lapEndedAt"
       from reporting.pointer_cursor where tenant_id = $1`,
      [tx.tenantId],
    );
    return row
      ? { ...row, tokenId: BigInt(row.tokenId) }
      : { eventBlock: 0, eventId: null, tokenId: 0n, lapBeganAt: new Date(0), lapEndedAt: null };
  }

  async saveCursor(tx: TenantTx, cursor: PointerCursor, nextAt: Date): Promise<void> {
    await tx.sql(
      `update reporting.pointer_cursor set event_block = $2, event_id = $3, token_id = $4, lap_started_at = $5, lap_ended_at = $6, next_at = $7
       where tenant_id = $1`,
      [tx.tenantId, cursor.eventBlock, cursor.eventId, cursor.tokenId, cursor.lapBeganAt, cursor.lapEndedAt, nextAt],
    );
  }

  /** For each SSCC that an event packed a container under: another event that did so too. Key: `<event id>|<sscc>`. */
  async otherContainers(tx: TenantTx, events: readonly PointingEvent[]): Promise<ReadonlyMap<string, string>> {
    const packings = events.filter(({ kind }) => kind === 'aggregation').map(({ id }) => id);
    if (packings.length === 0) return new Map();
    const rows = await tx.sql<{ id: string; sscc: string; other: string }>(
      `select e.id, substring(p.value from 6) as sscc, min(o.subject_id) as other
       from unnest($2::uuid[]) as e(id)
       join reporting.pointer p on p.tenant_id = $1 and p.subject_kind = 'event' and p.subject_id = e.id::text and p.kind = 'ext' and p.value like 'sscc:%'
       join reporting.pointer o on o.tenant_id = $1 and o.kind = 'ext' and o.value = p.value and o.subject_kind = 'event' and o.subject_id <> p.subject_id
       join traceability.event_v1 v on v.tenant_id = $1 and v.id = o.subject_id::uuid and v.kind = 'aggregation' and v.counts
       group by 1, 2`,
      [tx.tenantId, packings],
    );
    return new Map(rows.map(({ id, sscc, other }) => [`${id}|${sscc}`, other]));
  }

  /** Replaces the pointers of the subjects. */
  async save(tx: TenantTx, subjects: readonly PointerSubject[], pointers: readonly CheckedPointer[], at: Date): Promise<void> {
    const byId = new Map(pointers.map((pointer) => [pointer.id, pointer]));
    await tx.sql(SAVE, [
      tx.tenantId,
      subjects.map(({ kind }) => kind),
      subjects.map(({ id }) => id),
      JSON.stringify([...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(columnsOf)),
      at,
    ]);
  }

  /** Subjects to check again first: broken ones, then those that were checked longest ago. */
  stalest(tx: TenantTx, filter: PointerFilter, limit: number): Promise<readonly Pick<PointerSubject, 'kind' | 'id'>[]> {
    const { where, parameters } = conditionOf(tx, filter);
    const place = `$${parameters.push(limit)}`;
    return tx.sql(
      `select distinct kind, id from (
         (select p.subject_kind as kind, p.subject_id as id from reporting.pointer p where ${where} and p.status in ('mismatch', 'unresolved')
          order by p.kind, p.id limit ${place})
         union all
         (select p.subject_kind, p.subject_id from reporting.pointer p where ${where} order by p.checked_at, p.id limit ${place})
         limit ${place}) few`,
      parameters,
    );
  }

  /** From stored sums by organisation and day; pointers are counted for partial days and for callers with limited process access. */
  counts(tx: TenantTx, filter: PointerFilter): Promise<readonly PointerCount[]> {
    const periodless = filter.from === null && filter.to === null;
    const { where, parameters } =
      filter.processes === null && periodless ? { where: '', parameters: [tx.tenantId] } : conditionOf(tx, filter);
    const place = (value: unknown): string => `$${parameters.push(value)}`;
    const counted = (which: string): string =>
      `select p.kind, p.status, count(*) as n from reporting.pointer p where ${where} and ${which} group by 1, 2`;
    const summed = (parts: string): Promise<PointerCount[]> =>
      tx.sql(`select kind, status, sum(n)::float8 as n from (${parts}) t group by 1, 2 having sum(n) > 0 order by 1, 2`, parameters);
    if (filter.processes !== null) return summed(counted('true'));
    if (periodless) return summed(tallied(filter, ["t.day = '-infinity'"], place));
    const whole = wholeDays(filter);
    const [first, last] = [whole?.from, whole?.to].map((day) => (day == null ? '' : `${place(day)}::date`)) as [string, string];
    const days = ["t.day > '-infinity'", ...(first ? [`t.day >= ${first}`] : []), ...(last ? [`t.day < ${last}`] : [])];
    const partial = counted(partialDays('p.checked_at', filter, whole, first, last));
    return summed(whole ? `${tallied(filter, days, place)} union all ${partial}` : partial);
  }

  /** The worst status first, then by kind and id. @param after rank, kind and id of the last pointer before */
  page(tx: TenantTx, filter: PointerFilter, after: readonly string[] | null, limit: number): Promise<readonly StoredPointer[]> {
    const { where, parameters } = conditionOf(tx, filter);
    const place = (value: unknown): string => `$${parameters.push(value)}`;
    const next =
      after === null ? '' : `and (p.rank, p.kind, p.id) > (${place(after[0])}::smallint, ${place(after[1])}, ${place(after[2])})`;
    return tx.sql<StoredPointer>(
      `select p.id as "pointerId", p.kind, p.subject_kind as "subjectKind", p.subject_id as "subjectId", p.token_id::float8 as "tokenId", p.tlc, p.value,
         p.resolved, p.matches, p.status, p.rank, p.checked_at as "checkedAt", p.latency_ms as "latencyMs", p.detail
       from reporting.pointer p where ${where} ${next} order by p.rank, p.kind, p.id limit ${place(limit)}`,
      parameters,
    );
  }
}

function tallied({ orgId, kind, status }: PointerFilter, days: readonly string[], place: (value: unknown) => string): string {
  const all = ['t.tenant_id = $1', ...days];
  for (const [column, value] of Object.entries({ org_id: orgId, kind, status }))
    if (value !== null) all.push(`t.${column} = ${place(value)}`);
  return `select t.kind, t.status, t.n from reporting.pointer_tally t where ${all.join(' and ')}`;
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

/** All parts of the statement see the rows before it. The counts change by the difference, in one order of locks for all writers. */
const SAVE = `with fresh as (
    select * from jsonb_to_recordset($4::jsonb) as f(id text, kind text, subject_kind text, subject_id text, token_id bigint, tlc text, process_type text,
      value text, resolved boolean, matches boolean, status text, detail text, org_ids text[], latency_ms integer)
  ), known as (
    select p.id, p.kind, p.status, p.org_id, (p.checked_at at time zone 'utc')::date as day, p.resolved and p.matches as matching
    from reporting.pointer p
    join unnest($2::text[], $3::text[]) as s(kind, id) on s.kind = p.subject_kind and s.id = p.subject_id
    where p.tenant_id = $1 for update of p
  ), gone as (
    delete from reporting.pointer p using known k where p.tenant_id = $1 and p.id = k.id and not exists (select from fresh f where f.id = k.id)
  ), kept as (
    insert into reporting.pointer (tenant_id, id, kind, subject_kind, subject_id, token_id, tlc, process_type, value, resolved, matches, status, detail,
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
  insert into reporting.pointer_tally as t (tenant_id, org_id, day, kind, status, n, matching)
  select $1, org_id, day, kind, status, n, coalesce(matching, 0) from moved
  on conflict (tenant_id, org_id, day, kind, status) do update set n = t.n + excluded.n, matching = t.matching + excluded.matching`;
