import type { TenantTx } from '#persistence';
import type { LotNode } from '../../domain/lineage-graph.js';
import { lotStatusSql } from '../../domain/lot-status.js';
import { idList } from './id-lists.js';
import type { At } from './lot-reads.js';

/** The lots as they were, in any order. */
export async function lotNodes(tx: TenantTx, tokenIds: readonly bigint[], { block, time }: At): Promise<ReadonlyMap<bigint, LotNode>> {
  const rows = await tx.sql<Omit<LotNode, 'tokenId'> & { readonly tokenId: string }>(
    `select l.token_id as "tokenId", l.tlc, l.asset_type as "assetType", l.asset_type_name as "assetTypeName", l.custodian,
       ${lotStatusSql('l', 'h.held_at', 'coalesce($4::timestamptz, now())')} as status,
       l.mint_event_id as "eventId", e.process_type as "processType", e.event_time as "eventTime", e.country,
       coalesce(e.made, 1) as made, l.quantity::float8 as whole, l.uom, l.unit_kg::float8 as "unitKg",
       l.recalled_at is not null as recalled, l.token_id in (
         select a.token_id from traceability.recall_affected a
         where a.tenant_id = $1 and a.token_id = any($2::bigint[]) and a.root_token_id <> a.token_id
           and ($3::bigint is null and a.to_block is null or a.from_block <= $3 and (a.to_block is null or a.to_block > $3))) as "recallAffected"
     from unnest($2::bigint[]) as n(token_id)
     cross join lateral (
       select v.token_id, v.tlc, v.asset_type, v.asset_type_name, v.custodian, v.mint_event_id, v.retired_at, v.recalled_at, v.used_up,
         v.pending_custodian, v.container_token_id, v.expires_at, v.quantity, v.uom, v.unit_kg
       from traceability.lot v where v.tenant_id = $1 and v.token_id = n.token_id and ${block === null ? 'v.to_block is null' : 'v.from_block <= $3 and (v.to_block is null or v.to_block > $3)'}
       offset 0) l
     left join traceability.lot_hold h on $3::bigint is null and h.tenant_id = $1 and h.token_id = l.token_id
     left join lateral (
       select e.process_type, e.event_time, e.location ->> 'country' as country, cardinality(e.output_token_ids) as made
       from traceability.event e
       where e.tenant_id = $1 and e.id = l.mint_event_id offset 0) e on true`,
    [tx.tenantId, idList(tokenIds), block, time],
  );
  return new Map(rows.map((row) => [BigInt(row.tokenId), { ...row, tokenId: BigInt(row.tokenId) }]));
}
