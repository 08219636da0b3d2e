import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { EventTracking, type SentEvent } from '../../contract.js';

/** Which statuses of an event a transaction may turn into which. */
const MOVES = `(values ('prepared', 'submitted'), ('failed', 'submitted'), ('expired', 'submitted'),
  ('prepared', 'failed'), ('submitted', 'failed'), ('submitted', 'prepared')) as move(before, after)`;

@Injectable()
export class SqlEventTracking extends EventTracking {
  override async follow(tx: TenantTx, sent: readonly SentEvent[], at: Date): Promise<void> {
    if (sent.length === 0) return;
    await tx.sql(
      `with sent as (
         select distinct on (s.id) s.* from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) with ordinality as s(id, data_hash, sender, status, seq)
         order by s.id, s.seq desc
       )
       update traceability.event e set status = sent.status, updated_at = $6
       from sent join ${MOVES} on move.after = sent.status
       where e.tenant_id = $1 and e.id = sent.id and e.status = move.before and e.block_number is null
         and e.data_hash = sent.data_hash and (e.actor_address is null or e.actor_address = sent.sender)`,
      [
        tx.tenantId,
        sent.map(({ eventId }) => eventId),
        sent.map(({ dataHash }) => dataHash),
        sent.map(({ from }) => from),
        sent.map(({ status }) => status),
        at,
      ],
    );
  }
}
