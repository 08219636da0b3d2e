import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { KnownLot } from '../../domain/choose-process.js';
import { CaptureSurroundings } from '../../ports.js';

@Injectable()
export class SqlCaptureSurroundings extends CaptureSurroundings {
  /** Under a code that a void set free, the lot that lives. */
  override async lots(tx: TenantTx, codes: readonly string[]): Promise<ReadonlyMap<string, KnownLot>> {
    if (codes.length === 0) return new Map();
    const rows = await tx.sql<{ token_id: string; tlc: string; gtin: string | null; asset_type: string | null }>(
      `select distinct on (l.tlc) l.token_id, l.tlc, l.gtin, l.asset_type from traceability.lot_v1 l
       where l.tenant_id = $1 and l.tlc = any($2::text[])
       order by l.tlc, coalesce(l.retire_reason = 'voided', false), l.token_id desc`,
      [tx.tenantId, codes],
    );
    return new Map(
      rows.map((row) => [row.tlc, { tokenId: BigInt(row.token_id), code: row.tlc, gtin: row.gtin, assetType: row.asset_type }]),
    );
  }

  override async sites(tx: TenantTx, glns: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
    if (glns.length === 0) return new Map();
    const rows = await tx.sql<{ gln: string; name: string; location: Readonly<Record<string, unknown>> | null }>(
      `select distinct on (w.site_gln) w.site_gln as gln, w.site_name as name, w.site_location as location from identity.wallet_v1 w
       where w.tenant_id = $1 and w.site_gln = any($2::text[]) order by w.site_gln, w.site_id`,
      [tx.tenantId, glns],
    );
    return new Map(rows.map(({ gln, name, location }) => [gln, { name, ...location }]));
  }
}
