import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { KeyData } from '../../contract.js';

interface Row {
  readonly eventId: string;
  readonly processType: string | null;
  readonly missing: readonly string[];
  readonly events: string;
  readonly complete: string;
}

@Injectable()
export class SqlKeyData extends KeyData {
  override async ofLots(tx: TenantTx, tokenIds: readonly bigint[], most: number): ReturnType<KeyData['ofLots']> {
    const rows = await tx.sql<Row>(
      `with named as (
         select e.id, e.process_type, e.block_number, coalesce(e.kde -> 'missing', '[]') as missing from traceability.event_v1 e
         where e.tenant_id = $1 and e.counts and e.kde is not null
           and e.id in (select n.event_id from traceability.event_lot n where n.tenant_id = $1 and n.token_id = any($2::bigint[]))
       ), counted as (
         select count(*) as events, count(*) filter (where jsonb_array_length(missing) = 0) as complete from named
       )
       select c.events, c.complete, n.id as "eventId", n.process_type as "processType", n.missing
       from counted c
       left join lateral (
         select * from named where jsonb_array_length(missing) > 0 order by block_number, id limit $3) n on true`,
      [tx.tenantId, tokenIds, most],
    );
    return {
      events: Number(rows[0]?.events ?? 0),
      complete: Number(rows[0]?.complete ?? 0),
      missing: rows.flatMap(({ eventId, processType, missing }) => (eventId === null ? [] : [{ eventId, processType, missing }])),
    };
  }
}
