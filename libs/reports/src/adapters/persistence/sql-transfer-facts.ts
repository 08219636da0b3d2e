import type { ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Change, type FactWalk, TransferFacts } from '../../facts.ports.js';
import { FactWalks } from './fact-walks.js';
import { TRANSFER_DAY, transferDaysOf, transferFacts } from './transfer-facts.js';

@Injectable()
export class SqlTransferFacts extends TransferFacts {
  private readonly walks = new FactWalks('reports.transfer_walk');

  override take(tx: TenantTx): Promise<FactWalk | null> {
    return this.walks.take(tx);
  }

  override changes(tx: TenantTx, after: string | null, head: number, limit: number): Promise<readonly Change[]> {
    const [block, ...id] = after?.split(':') ?? ['-1', ''];
    return tx.sql<Change>(CHANGED, [tx.tenantId, block, id.join(':'), head, limit]);
  }

  override open(tx: TenantTx, limit: number): Promise<readonly string[]> {
    return idsOf(tx, 'select id from reports.transfer_fact where tenant_id = $1 and open order by id limit $2', [tx.tenantId, limit]);
  }

  override late(tx: TenantTx, limit: number): Promise<readonly string[]> {
    return idsOf(tx, LATE, [tx.tenantId, limit]);
  }

  override async refresh(tx: TenantTx, ids: readonly string[], final: number): Promise<void> {
    const of = [tx.tenantId, ids];
    await tx.sql(TOUCHED, of);
    await tx.sql('delete from reports.transfer_fact where tenant_id = $1 and id = any($2::text[])', of);
    await tx.sql(WRITE, [...of, final]);
    await tx.sql(TOUCHED, of);
  }

  override async sumDays(tx: TenantTx, limit: number): Promise<boolean> {
    const due = await tx.sql<{ day: string }>('select day::text from reports.due_transfer_day where tenant_id = $1 order by day limit $2', [
      tx.tenantId,
      limit,
    ]);
    if (due.length === 0) return true;
    const of = [tx.tenantId, due.map(({ day }) => day)];
    for (const table of ['transfer_day', 'due_transfer_day'])
      await tx.sql(`delete from reports.${table} where tenant_id = $1 and day = any($2::date[])`, of);
    await tx.sql(`insert into reports.transfer_day (tenant_id, ${TRANSFER_DAY}) select $1, d.* from (${transferDaysOf(OF_DAYS)}) d`, of);
    return due.length < limit;
  }

  override walked(tx: TenantTx, walk: FactWalk, asOf: ChainPosition | null): Promise<void> {
    return this.walks.walked(tx, walk, asOf);
  }
}

const idsOf = async (tx: TenantTx, statement: string, parameters: readonly unknown[]): Promise<readonly string[]> =>
  (await tx.sql<{ id: string }>(statement, parameters)).map(({ id }) => id);

const CHANGED = `select t.id, t.closed_block::float8 as block, t.id as root from custody.transfer_v1 t
  where t.tenant_id = $1 and t.closed_block >= $2::bigint and t.closed_block <= $4 and (t.closed_block, t.id collate "C") > ($2::bigint, $3 collate "C")
  order by t.closed_block, t.id collate "C" limit $5`;

const TOUCHED = `insert into reports.due_transfer_day (tenant_id, day) select distinct $1::uuid, (f.at at time zone 'utc')::date from reports.transfer_fact f
  where f.tenant_id = $1 and f.id = any($2::text[]) on conflict do nothing`;

const WRITE = `insert into reports.transfer_fact
  select tenant_id, id, token_id, at, giver, taker, status, named, pending, in_time, mass_kg, resolved, block > $3 as open
  from (${transferFacts('t.id = any($2::text[])')}) f`;

const LATE = `select f.id from reports.transfer_fact f cross join lateral (
    select from traceability.lot_v1 l where l.tenant_id = $1 and l.token_id = f.token_id and l.resolved offset 0) l
  where f.tenant_id = $1 and not f.resolved order by f.id limit $2`;

const OF_DAYS = `unnest($2::date[]) due(of_day) cross join lateral (
    select f.* from reports.transfer_fact f
    where f.tenant_id = $1 and f.at >= due.of_day::timestamp at time zone 'utc' and f.at < (due.of_day + 1)::timestamp at time zone 'utc' offset 0) f`;
