import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { type AsOf, type LotTrace, Traces } from '../../contract.js';
import { lotStatusSql } from '../../domain/lot-status.js';
import type { AssetType } from '../../domain/process-map.js';
import { timeOfBlock } from './block-times.js';

type Row = Omit<LotTrace, 'tokenId' | 'remaining' | 'recallUnit' | 'pastCustodians'> & {
  readonly tokenId: string;
  readonly remaining: string | null;
  readonly pastCustodians: readonly string[] | null;
  readonly map: string | null;
};

@Injectable()
export class SqlTraces extends Traces {
  override async of(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly LotTrace[]> {
    if (tokenIds.length === 0) return [];
    const rows = await tx.sql<Row>(
      `select l.token_id as "tokenId", l.tlc, l.asset_type as "assetType", l.asset_type_name as "assetTypeName",
         ${lotStatusSql('l', 'h.held_at', 'coalesce($4::timestamptz, now())')} as status, l.retire_reason as "retireReason", l.recalled_at is not null as recalled,
         l.used_up as "usedUp",
         l.custodian, l.pending_custodian as "pendingCustodian", (
           select array_agg(v.custodian) from traceability.lot v
           where v.tenant_id = $1 and v.token_id = l.token_id and v.custodian <> l.custodian
             and ($3::bigint is null or v.from_block <= $3::bigint)) as "pastCustodians",
         l.depth > 0 as "isContainer", l.remaining, l.uom,
         l.unit_kg::float8 as "unitKg", e.location ->> 'country' as country, l.mint_event_id as "mintEventId",
         l.process_map_name || '@' || l.process_map_version as map,
         (l.quantity / 1000000 * l.unit_kg)::float8 as "producedKg",
         coalesce(u.used, 0)::float8 as "usedKg", coalesce(u.lost, 0)::float8 as "lossKg", coalesce(u.gap, 0)::float8 as "gapKg",
         greatest(0, coalesce((l.quantity - l.remaining - coalesce(u.drawn, 0)) / 1000000 * l.unit_kg, 0))::float8 as "partRetiredKg"
       from unnest($2::bigint[]) as n(token_id)
       cross join lateral (
         select * from traceability.lot v
         where v.tenant_id = $1 and v.token_id = n.token_id and ($3::bigint is null or v.from_block <= $3::bigint)
         order by v.from_block desc, v.from_log desc limit 1) l
       left join traceability.lot_hold h on $3::bigint is null and h.tenant_id = $1 and h.token_id = l.token_id
       left join lateral (
         select v.location from traceability.event v where v.tenant_id = $1 and v.id = l.mint_event_id offset 0) e on true
       left join lateral (
         select sum(d.quantity) as drawn,
           sum(d.kg * coalesce((v.main_output_kg + v.co_product_kg) / nullif(v.input_kg, 0), 1)) as used,
           sum(d.kg * coalesce(v.declared_loss_kg / nullif(v.input_kg, 0), 0)) as lost,
           sum(d.kg * coalesce((v.input_kg - v.main_output_kg - v.co_product_kg - v.declared_loss_kg) / nullif(v.input_kg, 0), 0)) as gap
         from (
           -- An event draws once from a lot, whatever it makes of it.
           select distinct x.event_id, x.quantity, x.quantity / 1000000 * l.unit_kg as kg from traceability.edge x
           where x.tenant_id = $1 and x.from_token = l.token_id and x.kind = 'transformation'
             and (x.void_block is null or x.void_block > $3::bigint) and ($3::bigint is null or x.block_number <= $3::bigint)) d
         cross join lateral (
           select v.input_kg, v.main_output_kg, v.co_product_kg, v.declared_loss_kg from traceability.event v
           where v.tenant_id = $1 and v.id = d.event_id offset 0) v) u on true
       order by l.token_id`,
      [tx.tenantId, tokenIds, asOf, asOf === null ? null : await timeOfBlock(tx, asOf)],
    );
    const assets = await assetTypesOf(tx, [...new Set(rows.flatMap(({ map }) => (map === null ? [] : [map])))]);
    // In place: ten thousand copies of thirty fields would cost what the statement does.
    return rows.map((row) =>
      Object.assign(row, {
        tokenId: BigInt(row.tokenId),
        remaining: row.remaining === null ? null : BigInt(row.remaining),
        pastCustodians: row.pastCustodians === null ? [] : [...new Set(row.pastCustodians)],
        recallUnit: assets.get(row.map ?? '')?.[row.assetType ?? '']?.recallUnit ?? null,
      }),
    );
  }
}

/** Asset types by `name@version`: a document is read once, not once a lot. */
async function assetTypesOf(tx: TenantTx, maps: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, AssetType>>>> {
  if (maps.length === 0) return new Map();
  const rows = await tx.sql<{ key: string; assets: Readonly<Record<string, AssetType>> }>(
    `select name || '@' || version as key, document -> 'assetTypes' as assets from traceability.process_map
     where tenant_id = $1 and name || '@' || version = any($2::text[])`,
    [tx.tenantId, maps],
  );
  return new Map(rows.map(({ key, assets }) => [key, assets]));
}
