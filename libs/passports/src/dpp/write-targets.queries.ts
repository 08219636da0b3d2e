import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { ElementRule } from '../elements/data-element.js';

/** The event that a passport's elements are recorded with, as it is now. */
export interface RecordedElements {
  readonly eventId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly dataElements: readonly ElementRule[];
}

/** What methods of EN 18222 that write need to know. */
@Injectable()
export class WriteTargetsQueries {
  /** Data elements of an asset type, by the newest version of its map. */
  async elementsOf(tx: TenantTx, mapName: string, assetType: string): Promise<readonly ElementRule[]> {
    const [row] = await tx.sql<{ dataElements: readonly ElementRule[] }>(
      `select coalesce(a.words -> 'dataElements', '[]') as "dataElements" from traceability.asset_type_v1 a
       where a.tenant_id = $1 and a.map_name = $2 and a.asset_type = $3 order by a.published_at desc limit 1`,
      [tx.tenantId, mapName, assetType],
    );
    return row?.dataElements ?? [];
  }

  /** Null where the lot, or the content of its event, is not known. */
  async recorded(tx: TenantTx, passportId: string): Promise<RecordedElements | null> {
    const [row] = await tx.sql<RecordedElements>(
      `select e.id as "eventId", e.metadata,
         coalesce(a.words -> 'dataElements', '[]') as "dataElements"
       from passports.passport p
       join traceability.lot_v1 l on l.tenant_id = p.tenant_id and l.token_id = p.token_id and l.tlc = p.tlc
       join traceability.event_v1 e on e.tenant_id = p.tenant_id and e.id = l.mint_event_id and e.metadata is not null
       left join traceability.asset_type_v1 a on a.tenant_id = l.tenant_id and a.map_name = l.process_map_name
         and a.map_version = l.process_map_version and a.asset_type = l.asset_type
       where p.tenant_id = $1 and p.id = $2`,
      [tx.tenantId, passportId],
    );
    return row ?? null;
  }
}
