import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Change, FactQueries, asOfDays } from './fact.queries.js';
import type { AsOf, ReportScope } from '../reports/report.js';
import { partialDays, wholeDays } from '../reports/scope.queries.js';

/** Transfers that were completed or rejected (`reporting.transfer_fact`, `transfer_day`). */
@Injectable()
export class TransferFactQueries extends FactQueries {
  override readonly lastId = '~';

  constructor() {
    super('reporting.transfer_cursor');
  }

  override changes(tx: TenantTx, after: string | null, head: number, limit: number): Promise<readonly Change[]> {
    const [block, ...id] = after?.split(':') ?? ['-1', ''];
    return tx.sql<Change>(CHANGED, [tx.tenantId, block, id.join(':'), head, limit]);
  }

  override undoable(tx: TenantTx, limit: number): Promise<readonly string[]> {
    return idsOf(tx, 'select id from reporting.transfer_fact where tenant_id = $1 and open order by id limit $2', [tx.tenantId, limit]);
  }

  override resolvedLate(tx: TenantTx, limit: number): Promise<readonly string[]> {
    return idsOf(tx, RESOLVED_LATE, [tx.tenantId, limit]);
  }

  override async write(tx: TenantTx, ids: readonly string[], final: number): Promise<void> {
    const parameters = [tx.tenantId, ids];
    await tx.sql(MARK_DAYS, parameters);
    await tx.sql('delete from reporting.transfer_fact where tenant_id = $1 and id = any($2::text[])', parameters);
    await tx.sql(WRITE, [...parameters, final]);
    await tx.sql(MARK_DAYS, parameters);
  }

  override async sumDays(tx: TenantTx, limit: number): Promise<boolean> {
    const due = await tx.sql<{ day: string }>(
      'select day::text from reporting.due_transfer_day where tenant_id = $1 order by day limit $2',
      [tx.tenantId, limit],
    );
    if (due.length === 0) return true;
    const parameters = [tx.tenantId, due.map(({ day }) => day)];
    for (const table of ['transfer_day', 'due_transfer_day'])
      await tx.sql(`delete from reporting.${table} where tenant_id = $1 and day = any($2::date[])`, parameters);
    await tx.sql(
      `insert into reporting.transfer_day (tenant_id, ${DAY_COLUMNS}) select $1, d.* from (${sumTransferDays(FACTS_OF_DAYS)}) d`,
      parameters,
    );
    return due.length < limit;
  }
}

/** Default of the process map: a transfer may wait this long. */
const ACCEPT_WITHIN = 'PT72H';

/**
 * Closed transfers: the columns of `reporting.transfer_fact` except `open`, with the block. An offered container or lot is one transfer, also
 * where less was taken than was offered: `taken` is the share. Its mass is that of the goods in it, with the quantity that remained then.
 * @param where on t of `custody.transfer_v1`; $1 is the tenant
 */
const transferFacts = (where: string): string => `
  with accept as materialized (
    select p.map_name, p.map_version, max(coalesce(p.defaults ->> 'custodyAcceptWithin', '${ACCEPT_WITHIN}'))::interval as within
    from traceability.process_v1 p where p.tenant_id = $1 group by 1, 2
  )
  select t.tenant_id, t.id, t.token_id, t.closed_at as at, t.from_address as giver, t.to_address as taker, t.status,
    t.via_container_token_id is null as named,
    case when t.status = 'accepted' then extract(epoch from t.closed_at - t.offered_at)::float8 end as pending,
    t.status = 'accepted' and t.closed_at - t.offered_at <= coalesce(a.within, '${ACCEPT_WITHIN}') as in_time,
    case when t.status = 'accepted' then coalesce(v.remaining / nullif(v.remaining + s.rest, 0), 1)
      when t.status = 'rejected' then 0 end as taken,
    case when t.status <> 'rejected' then v.remaining * v.unit_kg end as mass_kg, coalesce(l.resolved, false) as resolved, t.closed_block as block
  from custody.transfer_v1 t
  left join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = t.token_id
  left join accept a on a.map_name = l.process_map_name and a.map_version = l.process_map_version
  left join traceability.lot_version_v1 v on v.tenant_id = $1 and v.token_id = t.token_id and not v.is_container
    and (v.from_block, v.from_log) <= (t.closed_block, t.closed_log) and (v.to_block is null or (v.to_block, v.to_log) > (t.closed_block, t.closed_log))
  left join lateral (
    select sum(g.quantity) as rest from traceability.edge_v1 g
    join custody.transfer_v1 r on r.tenant_id = $1 and r.token_id = g.to_token and r.offer_no = t.offer_no and r.short_reason is not null
    where g.tenant_id = $1 and g.from_token = t.token_id and g.kind = 'split' and g.block_number = t.closed_block offset 0) s on t.status = 'accepted'
  where t.tenant_id = $1 and t.status in ('accepted', 'direct', 'rejected') and t.short_reason is null and ${where}`;

const DAY = `(f.at at time zone 'utc')::date`;

/** Facts by day, giver and taker: the columns of `reporting.transfer_day` except the tenant. @param facts a relation named f, with `where` */
const sumTransferDays = (facts: string): string => `
  select ${DAY} as day, f.giver, f.taker, count(*) filter (where f.named and f.status <> 'rejected') as completed,
    count(*) filter (where f.named and f.status = 'accepted') as accepted, count(*) filter (where f.named and f.status = 'rejected') as rejected,
    count(*) filter (where f.named and f.in_time) as in_time, coalesce(sum(f.taken) filter (where f.named), 0) as taken, array_agg(f.pending) filter (where f.named and f.pending is not null) as pendings,
    sum(f.mass_kg) as mass_kg
  from ${facts} group by ${DAY}, f.giver, f.taker`;

const DAY_COLUMNS = 'day, giver, taker, completed, accepted, rejected, in_time, taken, pendings, mass_kg';

const idsOf = async (tx: TenantTx, statement: string, parameters: readonly unknown[]): Promise<readonly string[]> =>
  (await tx.sql<{ id: string }>(statement, parameters)).map(({ id }) => id);

const CHANGED = `select t.id, t.closed_block::float8 as block, t.id as root from custody.transfer_v1 t
  where t.tenant_id = $1 and t.closed_block >= $2::bigint and t.closed_block <= $4 and (t.closed_block, t.id collate "C") > ($2::bigint, $3 collate "C")
  order by t.closed_block, t.id collate "C" limit $5`;

const MARK_DAYS = `insert into reporting.due_transfer_day (tenant_id, day) select distinct $1::uuid, (f.at at time zone 'utc')::date from reporting.transfer_fact f
  where f.tenant_id = $1 and f.id = any($2::text[]) on conflict do nothing`;

const WRITE = `insert into reporting.transfer_fact
  select tenant_id, id, token_id, at, giver, taker, status, named, pending, in_time, taken, mass_kg, resolved, block > $3 as open
  from (${transferFacts('t.id = any($2::text[])')}) f`;

const RESOLVED_LATE = `select f.id from reporting.transfer_fact f cross join lateral (
    select from traceability.lot_v1 l where l.tenant_id = $1 and l.token_id = f.token_id and l.resolved offset 0) l
  where f.tenant_id = $1 and not f.resolved order by f.id limit $2`;

const FACTS_OF_DAYS = `unnest($2::date[]) due(of_day) cross join lateral (
    select f.* from reporting.transfer_fact f
    where f.tenant_id = $1 and f.at >= due.of_day::timestamp at time zone 'utc' and f.at < (due.of_day + 1)::timestamp at time zone 'utc' offset 0) f`;

/** A relation with the closed transfers of a period by day, giver and taker, for a statement that adds its own parameters behind these. */
interface TransferDays {
  readonly days: string;
  readonly parameters: readonly unknown[];
  /** What stored days are based on; undefined = computed from the transfers. */
  readonly asOf?: AsOf;
}

/** From stored days and the transfers of partial days if the tenant has stored days, else from the transfers. */
export async function transferDays(tx: TenantTx, scope: Pick<ReportScope, 'from' | 'to'>): Promise<TransferDays> {
  const asOf = await asOfDays(tx, 'reporting.transfer_cursor');
  const parameters: unknown[] = [tx.tenantId];
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const within = (at: string): string =>
    [
      'true',
      ...(scope.from ? [`${at} >= ${add(scope.from)}::timestamptz`] : []),
      ...(scope.to ? [`${at} < ${add(scope.to)}::timestamptz`] : []),
    ].join(' and ');
  if (!asOf) return { days: `(${sumTransferDays(`(${transferFacts(within('t.closed_at'))}) f`)})`, parameters };
  const whole = wholeDays(scope);
  const [first, last] = [whole?.from, whole?.to].map((day) => (day == null ? '' : `${add(day)}::date`)) as [string, string];
  const conditions = [...(first ? [`d.day >= ${first}`] : []), ...(last ? [`d.day < ${last}`] : [])];
  const partial = `reporting.transfer_fact f where f.tenant_id = $1 and ${within('f.at')} and ${partialDays('f.at', scope, whole, first, last)}`;
  return {
    days: `(select ${DAY_COLUMNS} from reporting.transfer_day d where d.tenant_id = $1 and ${whole ? ['true', ...conditions].join(' and ') : 'false'}
      union all ${sumTransferDays(partial)})`,
    parameters,
    asOf,
  };
}
