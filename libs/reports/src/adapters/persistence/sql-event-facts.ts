import { ChainProfile, type ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Change, EventFacts, type FactWalk } from '../../facts.ports.js';
import { ADD_USES, DROP_USES, FORGET_DOCUMENTS, SHARE_PAIRS, SUM_DOCUMENTS } from './document-uses.js';
import { eventChanges } from './event-changes.js';
import { FactWalks } from './fact-walks.js';
import { DAY_COLUMNS, daysOf, drawFacts, eventFacts } from './event-facts.js';

/** What the draws of others depend on. */
interface Maker {
  readonly event_id: string;
  readonly process_type: string | null;
  readonly org_id: string | null;
  readonly measured: boolean;
}

@Injectable()
export class SqlEventFacts extends EventFacts {
  private readonly walks = new FactWalks('reports.fact_walk');

  constructor(private readonly chain: ChainProfile) {
    super();
  }

  override take(tx: TenantTx): Promise<FactWalk | null> {
    return this.walks.take(tx);
  }

  override changes(tx: TenantTx, after: string | null, head: number, limit: number): Promise<readonly Change[]> {
    return eventChanges(tx, this.chain.chainId, { after, head, limit });
  }

  override async open(tx: TenantTx, limit: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ event_id: string }>(
      'select event_id from reports.open_fact where tenant_id = $1 order by event_id limit $2',
      [tx.tenantId, limit],
    );
    return rows.map(({ event_id }) => event_id);
  }

  override async late(tx: TenantTx, limit: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ event_id: string }>(LATE, [tx.tenantId, limit]);
    return rows.map(({ event_id }) => event_id);
  }

  override async refresh(tx: TenantTx, ids: readonly string[], final: number): Promise<void> {
    if (ids.length === 0) return;
    const before = await this.write(tx, ids);
    await tx.sql('delete from reports.open_fact where tenant_id = $1 and event_id = any($2::uuid[])', [tx.tenantId, ids]);
    await tx.sql(OPEN, [tx.tenantId, ids, final]);
    const turned = await tx.sql<{ event_id: string }>(TURNED, [tx.tenantId, JSON.stringify(before)]);
    if (turned.length === 0) return;
    // What was drawn from their lots is told by who made those.
    const drawers = await tx.sql<{ event_id: string }>(DRAWERS, [tx.tenantId, turned.map(({ event_id }) => event_id)]);
    await this.write(
      tx,
      drawers.map(({ event_id }) => event_id),
    );
  }

  /** @returns what was there before */
  private async write(tx: TenantTx, ids: readonly string[]): Promise<readonly Maker[]> {
    const of = [tx.tenantId, ids];
    await tx.sql(TOUCHED, of);
    await tx.sql('delete from reports.draw_fact where tenant_id = $1 and event_id = any($2::uuid[])', of);
    const before = await tx.sql<Maker>(
      'with gone as (delete from reports.event_fact where tenant_id = $1 and event_id = any($2::uuid[]) returning *) select event_id, process_type, org_id, measured from gone',
      of,
    );
    await tx.sql(`insert into reports.event_fact ${eventFacts('e.tenant_id = $1 and e.id = any($2::uuid[])')}`, of);
    await tx.sql(
      `insert into reports.draw_fact select tenant_id, event_id, from_process, from_org, kg, raw_kg
       from (${drawFacts('e.tenant_id = $1 and e.id = any($2::uuid[])')}) d`,
      of,
    );
    await this.writeDocuments(tx, ids);
    await tx.sql(TOUCHED, of);
    return before;
  }

  private async writeDocuments(tx: TenantTx, ids: readonly string[]): Promise<void> {
    type Of = { readonly document_id: string };
    const idsOf = (rows: readonly Of[]): string[] => [...new Set(rows.map(({ document_id }) => document_id))];
    const dropped = idsOf(await tx.sql<Of>(DROP_USES, [tx.tenantId, ids]));
    for (const statement of dropped.length > 0 ? [FORGET_DOCUMENTS, SUM_DOCUMENTS] : []) await tx.sql(statement, [tx.tenantId, dropped]);
    const added = idsOf(await tx.sql<Of>(ADD_USES, [tx.tenantId, ids]));
    if (added.length > 0) await tx.sql(SHARE_PAIRS, [tx.tenantId, added]);
  }

  override async sumDays(tx: TenantTx, limit: number): Promise<boolean> {
    const due = await tx.sql<{ day: string }>('select day::text from reports.due_day where tenant_id = $1 order by day limit $2', [
      tx.tenantId,
      limit,
    ]);
    if (due.length === 0) return true;
    const of = [tx.tenantId, due.map(({ day }) => day)];
    for (const table of ['event_day', 'draw_day', 'due_day'])
      await tx.sql(`delete from reports.${table} where tenant_id = $1 and day = any($2::date[])`, of);
    await tx.sql(`insert into reports.event_day (tenant_id, ${DAY_COLUMNS}) select $1, d.* from (${daysOf(OF_DAYS)}) d`, of);
    await tx.sql(DRAWN, of);
    return due.length < limit;
  }

  override walked(tx: TenantTx, walk: FactWalk, asOf: ChainPosition | null): Promise<void> {
    return this.walks.walked(tx, walk, asOf);
  }
}

const TOUCHED = `insert into reports.due_day (tenant_id, day) select distinct $1::uuid, (f.at at time zone 'utc')::date from reports.event_fact f
  where f.tenant_id = $1 and f.event_id = any($2::uuid[]) on conflict do nothing`;

const OPEN = `insert into reports.open_fact (tenant_id, event_id, resolved) select e.tenant_id, e.id, e.resolved from traceability.event_v1 e
  where e.tenant_id = $1 and e.id = any($2::uuid[]) and e.block_number is not null and (not e.resolved or exists (
    select from traceability.event_change_v1 c where c.tenant_id = $1 and c.id = e.id and c.block_number > $3))`;

const LATE = `select o.event_id from reports.open_fact o cross join lateral (
    select from traceability.event_v1 e where e.tenant_id = $1 and e.id = o.event_id and e.resolved offset 0) e
  where o.tenant_id = $1 and not o.resolved order by o.event_id limit $2`;

const TURNED = `select b.event_id from jsonb_to_recordset($2::jsonb) as b(event_id uuid, process_type text, org_id text, measured boolean)
  left join reports.event_fact f on f.tenant_id = $1 and f.event_id = b.event_id
  where (f.process_type, f.org_id, f.measured) is distinct from (b.process_type, b.org_id, b.measured)`;

const DRAWERS = `select distinct n.event_id from traceability.event_v1 e cross join lateral unnest(e.output_token_ids) t(token_id)
  join traceability.event_lot_v1 n on n.tenant_id = $1 and n.token_id = t.token_id and n.event_id <> e.id
  where e.tenant_id = $1 and e.id = any($2::uuid[])`;

/** Day by day, and event by event, along their indexes: of a range that a row brings the planner expects half of the table. */
const OF_DAYS = `unnest($2::date[]) due(of_day) cross join lateral (
    select f.* from reports.event_fact f
    where f.tenant_id = $1 and f.at >= due.of_day::timestamp at time zone 'utc' and f.at < (due.of_day + 1)::timestamp at time zone 'utc' offset 0) f`;

const DRAWN = `insert into reports.draw_day (tenant_id, day, process_type, org_id, from_process, from_org, kg, raw_kg)
  select $1, due.of_day, f.process_type, f.org_id, d.from_process, d.from_org, sum(d.kg), sum(d.raw_kg)
  from ${OF_DAYS} cross join lateral (
    select d.* from reports.draw_fact d where d.tenant_id = $1 and d.event_id = f.event_id offset 0) d group by 2, 3, 4, 5, 6`;
