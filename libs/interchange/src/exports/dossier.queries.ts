import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { ExportedLot, HistoryEntry, Party } from './dossier.js';

/** A process of a version of a map. */
export interface ProcessName {
  readonly map: string;
  readonly version: string;
  readonly processType: string;
}

type ProcessLabel = Pick<HistoryEntry, 'label' | 'allocation'>;

/** What documents about a lot say in addition to its events. */
@Injectable()
export class DossierQueries {
  /** The known ones among these. */
  async lots(tx: TenantTx, tokenIds: readonly number[]): Promise<readonly ExportedLot[]> {
    const rows = await tx.sql<ExportedLot & { readonly createdAt: Date; readonly expiresAt: Date | null }>(
      `with lot as materialized (
         select * from traceability.lot_v1 where tenant_id = $1 and token_id = any($2::bigint[])
       ), type as (
         select t.*, m.asset_types -> t.asset_type as words
         from (select distinct process_map_name, process_map_version, asset_type from lot) t
         left join traceability.process_map_v1 m
           on m.tenant_id = $1 and m.name = t.process_map_name and m.version = t.process_map_version
       )
       select l.id, l.token_id::float8 as "tokenId", l.tlc, l.key, l.gtin, l.serial, l.is_container as "isContainer", l.asset_type as "assetType",
         coalesce(l.asset_type_name, l.asset_type, l.tlc) as name, t.words ->> 'hsCode' as "hsCode",
         trim_scale(l.quantity)::text as quantity, l.uom, (l.quantity * l.unit_kg)::float8 as "massKg",
         l.minted_at as "createdAt", l.expires_at as "expiresAt", l.retire_reason as "retireReason"
       from lot l left join type t using (process_map_name, process_map_version, asset_type)
       order by l.token_id`,
      [tx.tenantId, tokenIds],
    );
    return rows.map((row) =>
      Object.assign(row, { createdAt: row.createdAt.toISOString(), expiresAt: row.expiresAt?.toISOString() ?? null }),
    );
  }

  /** By organisation id. */
  async parties(tx: TenantTx, orgIds: readonly string[]): Promise<ReadonlyMap<string, Party>> {
    if (orgIds.length === 0) return new Map();
    const rows = await tx.sql<Party>(
      `select id as "orgId", name, did, lei, gln from identity.organisation_v1 where tenant_id = $1 and id = any($2::uuid[])`,
      [tx.tenantId, orgIds],
    );
    return new Map(rows.map((party) => [party.orgId, party]));
  }

  /** In the order asked for; null for an unknown process. */
  async labels(tx: TenantTx, processes: readonly ProcessName[]): Promise<readonly (ProcessLabel | null)[]> {
    if (processes.length === 0) return [];
    const rows = await tx.sql<{ readonly label: string | null; readonly allocation: HistoryEntry['allocation'] }>(
      `select p.words ->> 'label' as label, case when p.words #> '{footprint,allocation}' is not null then jsonb_build_object(
         'method', p.words #> '{footprint,allocation,method}', 'rationale', p.words #> '{footprint,allocation,rationale}') end as allocation
       from unnest($2::text[], $3::text[], $4::text[]) with ordinality as a(map, version, process_type, place)
       left join lateral (
         select m.processes -> a.process_type as words from traceability.process_map_v1 m
         where m.tenant_id = $1 and m.name = a.map and m.version = a.version) p on true
       order by a.place`,
      [
        tx.tenantId,
        processes.map(({ map }) => map),
        processes.map(({ version }) => version),
        processes.map(({ processType }) => processType),
      ],
    );
    return rows.map(({ label, allocation }) => (label === null ? null : { label, allocation }));
  }
}
