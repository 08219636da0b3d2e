import type { TenantTx } from '#persistence';
import type { AsOf } from '../../contract.js';
import type { EdgeKind } from '../../domain/edge.js';
import type { LineageEdge } from '../../domain/lineage-graph.js';

interface Row {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly eventId: string;
  readonly quantity: string | null;
  readonly uom: string | null;
  readonly inputShare: number | null;
  readonly outputShare: number | null;
  readonly madeShare: number | null;
}

/** Edges of transformations at one end of a lot, by the other end; no more than asked for. */
export async function neighbours(tx: TenantTx, tokenId: bigint, end: 'from' | 'to', limit: number, asOf: AsOf): Promise<readonly bigint[]> {
  const other = end === 'from' ? 'to' : 'from';
  const rows = await tx.sql<{ token_id: string }>(
    `select ${other}_token as token_id from traceability.edge
     where tenant_id = $1 and ${end}_token = $3 and kind = 'transformation'
       and (void_block is null or void_block > $2::bigint) and ($2::bigint is null or block_number <= $2::bigint)
     order by ${other}_token limit $4`,
    [tx.tenantId, asOf, tokenId, limit],
  );
  return rows.map((row) => BigInt(row.token_id));
}

/**
 * The edges between these lots, with their shares. What a source gave is compared with all that its target took, also from sources that
 * are not asked about. A sum with an unknown mass in it is unknown, unless it has one part only.
 */
export async function edgesBetween(
  tx: TenantTx,
  tokenIds: readonly bigint[],
  kinds: readonly EdgeKind[],
  asOf: AsOf,
): Promise<readonly LineageEdge[]> {
  const rows = await tx.sql<Row>(
    `with node as (select * from unnest($3::bigint[]) as n(token_id)),
     link as (
       select e.from_token, e.to_token, e.kind, e.event_id, s.uom, s.quantity as whole,
         case e.kind when 'containment' then s.remaining else e.quantity end as amount,
         case e.kind when 'containment' then s.remaining else e.quantity end * s.unit_kg as mass
       from node n
       join traceability.edge e on e.tenant_id = $1 and e.to_token = n.token_id and e.kind = any($4::text[])
         and (e.void_block is null or e.void_block > $2::bigint) and ($2::bigint is null or e.block_number <= $2::bigint)
       cross join lateral (
         select l.uom, l.quantity, l.remaining, l.unit_kg from traceability.lot l
         where l.tenant_id = $1 and l.token_id = e.from_token and l.from_block <= e.block_number
         order by l.from_block desc, l.from_log desc limit 1) s
     ),
     taken as (
       select link.*, count(*) over target as sources, count(mass) over target as weighed, sum(mass) over target as in_mass
       from link window target as (partition by to_token)
     ),
     -- Once an event: as a part of the join below it would be summed up anew for every edge.
     made as materialized (
       select d.event_id as id, count(*) as outputs, count(l.quantity * l.unit_kg) as weighed, sum(l.quantity * l.unit_kg) as mass
       from (select distinct event_id from link where kind = 'transformation') d
       join traceability.event ev on ev.tenant_id = $1 and ev.id = d.event_id
       cross join unnest(ev.output_token_ids) as output(token_id)
       join traceability.lot l on l.tenant_id = $1 and l.to_block is null and l.token_id = output.token_id
       group by d.event_id
     )
     select t.from_token as "from", t.to_token as "to", t.kind, t.event_id as "eventId", t.amount as quantity, t.uom,
       (case when t.whole is null then 1 else t.amount / nullif(t.whole, 0) end)::float8 as "inputShare",
       (case when t.sources = 1 then 1 when t.sources = t.weighed then t.mass / nullif(t.in_mass, 0) end)::float8 as "outputShare",
       (case when t.kind = 'containment' or m.outputs = 1 then 1 when m.outputs = m.weighed then o.quantity * o.unit_kg / nullif(m.mass, 0) end)::float8
         as "madeShare"
     from taken t
     join traceability.lot o on o.tenant_id = $1 and o.token_id = t.to_token and o.to_block is null
     left join made m on m.id = t.event_id
     where t.from_token in (select token_id from node)
     order by t.to_token, t.from_token`,
    [tx.tenantId, asOf, tokenIds, kinds],
  );
  return rows.map((row) => ({
    ...row,
    from: BigInt(row.from),
    to: BigInt(row.to),
    quantity: row.quantity === null ? null : BigInt(row.quantity),
  }));
}
