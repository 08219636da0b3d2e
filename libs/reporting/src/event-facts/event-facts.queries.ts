import { ChainProfile } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { ADD_USES, DELETE_UNUSED_DOCUMENTS, DELETE_USES, SHARE_PAIRS, SUM_DOCUMENTS } from './document-uses.queries.js';
import { type Change, FactQueries, LAST_EVENT, eventChanges } from './fact.queries.js';
import { DAY_COLUMNS, daysOf, drawFacts, eventFacts } from './event-figures.queries.js';

/** What the draws of later events depend on. */
interface Maker {
  readonly event_id: string;
  readonly process_type: string | null;
  readonly org_id: string | null;
  readonly measured: boolean;
}

/** Figures of events, and the documents that they refer to (`reporting.event_fact`, `event_day`, `document`). */
@Injectable()
export class EventFactQueries extends FactQueries {
  override readonly lastId = LAST_EVENT;

  constructor(private readonly chain: ChainProfile) {
    super('reporting.fact_cursor');
  }

  override changes(tx: TenantTx, after: string | null, head: number, limit: number): Promise<readonly Change[]> {
    return eventChanges(tx, this.chain.chainId, { after, head, limit });
  }

  override async undoable(tx: TenantTx, limit: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ event_id: string }>(
      'select event_id from reporting.open_fact where tenant_id = $1 order by event_id limit $2',
      [tx.tenantId, limit],
    );
    return rows.map(({ event_id }) => event_id);
  }

  override async resolvedLate(tx: TenantTx, limit: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ event_id: string }>(RESOLVED_LATE, [tx.tenantId, limit]);
    return rows.map(({ event_id }) => event_id);
  }

  override async write(tx: TenantTx, ids: readonly string[], final: number): Promise<void> {
    if (ids.length === 0) return;
    const before = await this.replace(tx, ids);
    await tx.sql('delete from reporting.open_fact where tenant_id = $1 and event_id = any($2::uuid[])', [tx.tenantId, ids]);
    await tx.sql(MARK_UNDOABLE, [tx.tenantId, ids, final]);
    const changed = await tx.sql<{ event_id: string }>(CHANGED_MAKERS, [tx.tenantId, JSON.stringify(before)]);
    if (changed.length === 0) return;
    // Draws name the process and organisation that made the lot: those of later events change too.
    const users = await tx.sql<{ event_id: string }>(USERS, [tx.tenantId, changed.map(({ event_id }) => event_id)]);
    await this.replace(
      tx,
      users.map(({ event_id }) => event_id),
    );
  }

  /** @returns the facts before */
  private async replace(tx: TenantTx, ids: readonly string[]): Promise<readonly Maker[]> {
    const parameters = [tx.tenantId, ids];
    await tx.sql(MARK_DAYS, parameters);
    await tx.sql('delete from reporting.draw_fact where tenant_id = $1 and event_id = any($2::uuid[])', parameters);
    const before = await tx.sql<Maker>(
      'with gone as (delete from reporting.event_fact where tenant_id = $1 and event_id = any($2::uuid[]) returning *) select event_id, process_type, org_id, measured from gone',
      parameters,
    );
    await tx.sql(`insert into reporting.event_fact ${eventFacts('e.tenant_id = $1 and e.id = any($2::uuid[])')}`, parameters);
    await tx.sql(
      `insert into reporting.draw_fact select tenant_id, event_id, from_process, from_org, kg, raw_kg
       from (${drawFacts('e.tenant_id = $1 and e.id = any($2::uuid[])')}) d`,
      parameters,
    );
    await this.writeDocuments(tx, ids);
    await tx.sql(MARK_DAYS, parameters);
    return before;
  }

  private async writeDocuments(tx: TenantTx, ids: readonly string[]): Promise<void> {
    type Row = { readonly document_id: string };
    const idsOf = (rows: readonly Row[]): string[] => [...new Set(rows.map(({ document_id }) => document_id))];
    const dropped = idsOf(await tx.sql<Row>(DELETE_USES, [tx.tenantId, ids]));
    for (const statement of dropped.length > 0 ? [DELETE_UNUSED_DOCUMENTS, SUM_DOCUMENTS] : [])
      await tx.sql(statement, [tx.tenantId, dropped]);
    const added = idsOf(await tx.sql<Row>(ADD_USES, [tx.tenantId, ids]));
    if (added.length > 0) await tx.sql(SHARE_PAIRS, [tx.tenantId, added]);
  }

  override async sumDays(tx: TenantTx, limit: number): Promise<boolean> {
    const due = await tx.sql<{ day: string }>('select day::text from reporting.due_day where tenant_id = $1 order by day limit $2', [
      tx.tenantId,
      limit,
    ]);
    if (due.length === 0) return true;
    const parameters = [tx.tenantId, due.map(({ day }) => day)];
    for (const table of ['event_day', 'draw_day', 'due_day'])
      await tx.sql(`delete from reporting.${table} where tenant_id = $1 and day = any($2::date[])`, parameters);
    await tx.sql(
      `insert into reporting.event_day (tenant_id, ${DAY_COLUMNS}) select $1, d.* from (${daysOf(FACTS_OF_DAYS)}) d`,
      parameters,
    );
    await tx.sql(SUM_DRAWS, parameters);
    return due.length < limit;
  }
}

const MARK_DAYS = `insert into reporting.due_day (tenant_id, day) select distinct $1::uuid, (f.at at time zone 'utc')::date from reporting.event_fact f
  where f.tenant_id = $1 and f.event_id = any($2::uuid[]) on conflict do nothing`;

const MARK_UNDOABLE = `insert into reporting.open_fact (tenant_id, event_id, resolved) select e.tenant_id, e.id, e.resolved from traceability.event_v1 e
  where e.tenant_id = $1 and e.id = any($2::uuid[]) and e.block_number is not null and (not e.resolved or exists (
    select from traceability.event_change_v1 c where c.tenant_id = $1 and c.id = e.id and c.block_number > $3))`;

const RESOLVED_LATE = `select o.event_id from reporting.open_fact o cross join lateral (
    select from traceability.event_v1 e where e.tenant_id = $1 and e.id = o.event_id and e.resolved offset 0) e
  where o.tenant_id = $1 and not o.resolved order by o.event_id limit $2`;

const CHANGED_MAKERS = `select b.event_id from jsonb_to_recordset($2::jsonb) as b(event_id uuid, process_type text, org_id text, measured boolean)
  left join reporting.event_fact f on f.tenant_id = $1 and f.event_id = b.event_id
  where (f.process_type, f.org_id, f.measured) is distinct from (b.process_type, b.org_id, b.measured)`;

/** Events that name what these made, or parts of it. */
const USERS = `with recursive made as (
    select e.id, t.token_id from traceability.event_v1 e cross join lateral unnest(e.output_token_ids) t(token_id)
    where e.tenant_id = $1 and e.id = any($2::uuid[])
    union
    select m.id, s.to_token from made m cross join lateral (
      select s.to_token from traceability.edge_v1 s where s.tenant_id = $1 and s.from_token = m.token_id and s.kind = 'split' offset 0) s
  )
  select distinct n.event_id from made m
  join traceability.event_lot_v1 n on n.tenant_id = $1 and n.token_id = m.token_id and n.event_id <> m.id`;

/** Day by day and event by event by the indexes: for a range taken from a row the planner expects half of the table. */
const FACTS_OF_DAYS = `unnest($2::date[]) due(of_day) cross join lateral (
    select f.* from reporting.event_fact f
    where f.tenant_id = $1 and f.at >= due.of_day::timestamp at time zone 'utc' and f.at < (due.of_day + 1)::timestamp at time zone 'utc' offset 0) f`;

const SUM_DRAWS = `insert into reporting.draw_day (tenant_id, day, process_type, org_id, from_process, from_org, kg, raw_kg)
  select $1, due.of_day, f.process_type, f.org_id, d.from_process, d.from_org, sum(d.kg), sum(d.raw_kg)
  from ${FACTS_OF_DAYS} cross join lateral (
    select d.* from reporting.draw_fact d where d.tenant_id = $1 and d.event_id = f.event_id offset 0) d group by 2, 3, 4, 5, 6`;
