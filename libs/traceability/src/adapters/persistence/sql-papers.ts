import { Injectable } from '@nestjs/common';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import { type EventPapers, Papers } from '../../contract.js';
import { readablePart } from '../../domain/projection-visibility.js';
import { type ProcessKey, loadPublicPointers, processKey } from './map-words.js';

interface Row extends ProcessKey, EventPapers {
  readonly id: string;
  readonly orgId: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

@Injectable()
export class SqlPapers extends Papers {
  override async ofEvents(tx: TenantTx, actor: Actor, eventIds: readonly string[]): Promise<ReadonlyMap<string, EventPapers>> {
    if (eventIds.length === 0) return new Map();
    const rows = await tx.sql<Row>(
      `select id, org_id as "orgId", location, metadata, documents,
         process_map_name as map, process_map_version as version, process_type as "processType"
       from traceability.event where tenant_id = $1 and id = any($2::uuid[])`,
      [tx.tenantId, eventIds],
    );
    const pointers = await loadPublicPointers(tx, rows);
    return new Map(
      rows.map((row) => {
        const { location, documents } = readablePart(actor, row, pointers.get(processKey(row)) ?? []);
        return [row.id, { location, documents }];
      }),
    );
  }
}
