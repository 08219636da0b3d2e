import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Json } from '../epcis/json.js';

/** Events that came as EPCIS. */
@Injectable()
export class CapturedQueries {
  /** As they came, by their id here. */
  async events(tx: TenantTx, eventIds: readonly string[]): Promise<ReadonlyMap<string, Json>> {
    if (eventIds.length === 0) return new Map();
    const rows = await tx.sql<{ readonly id: string; readonly event: string }>(
      'select event_id as id, event from interchange.captured_event where tenant_id = $1 and event_id = any($2::uuid[])',
      [tx.tenantId, eventIds],
    );
    return new Map(rows.map(({ id, event }) => [id, JSON.parse(event) as Json]));
  }
}
