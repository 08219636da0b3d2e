import type { TenantTx } from '#persistence';
import type { LotAtEvent } from '../../contract.js';

interface Row extends LotAtEvent {
  readonly eventId: string;
}

const COLUMNS = `e.id as "eventId", l.token_id::float8 as "tokenId", l.tlc, l.gtin, l.depth > 0 as "isContainer", l.asset_type as "assetType",
  trim_scale(l.remaining / 1000000)::text as remaining, l.uom`;

/** Lots that these events name, as they were right after each; an event that has not landed sees them as they were made. */
export function lotsOfEvents(tx: TenantTx, ids: readonly string[]): Promise<Row[]> {
  return tx.sql<Row>(
    `select ${COLUMNS}
     from unnest($2::uuid[]) as a(id)
     join traceability.event e on e.tenant_id = $1 and e.id = a.id
     cross join lateral unnest(e.input_token_ids || e.output_token_ids) as n(token_id)
     cross join lateral (
       (select * from traceability.lot v where v.tenant_id = $1 and v.token_id = n.token_id
          and (v.from_block, v.from_log) <= (e.block_number, e.log_index) order by v.from_block desc, v.from_log desc limit 1)
       union all
       (select * from traceability.lot v where v.tenant_id = $1 and v.token_id = n.token_id order by v.from_block, v.from_log limit 1)
       limit 1
     ) l`,
    [tx.tenantId, ids],
  );
}

/** What lay directly in the containers that these events broke up, until they did. */
export function contentsOfBroken(tx: TenantTx, ids: readonly string[]): Promise<Row[]> {
  return tx.sql<Row>(
    `select ${COLUMNS}
     from unnest($2::uuid[]) as a(id)
     join traceability.event e on e.tenant_id = $1 and e.id = a.id and e.containment_mode = 2
     join traceability.lot l on l.tenant_id = $1 and l.container_token_id = any(e.input_token_ids)
       and (l.to_block, l.to_log) = (e.block_number, e.log_index)
     order by l.token_id`,
    [tx.tenantId, ids],
  );
}

/** The event at the beginning of each correction's chain, by the correction's id. */
export async function correctedBy(tx: TenantTx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql<{ id: string; first: string }>(
    `with recursive back as (
       select e.id, e.supersedes as first, 1 as step from traceability.event e
       where e.tenant_id = $1 and e.id = any($2::uuid[]) and e.supersedes is not null
       union all
       select b.id, e.supersedes, b.step + 1 from back b
       join traceability.event e on e.tenant_id = $1 and e.id = b.first
       where e.supersedes is not null and b.step < 100
     )
     select distinct on (id) id, first from back order by id, step desc`,
    [tx.tenantId, ids],
  );
  return new Map(rows.map(({ id, first }) => [id, first]));
}
