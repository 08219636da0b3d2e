import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import type { PreparedEventRow } from '../../domain/prepared-event.js';
import { PreparedEvents } from '../../ports.js';

@Injectable()
export class SqlPreparedEvents extends PreparedEvents {
  override async claimed(tx: TenantTx, claims: readonly string[], now: Date): Promise<ReadonlySet<string>> {
    if (claims.length === 0) return new Set();
    const rows = await tx.sql<{ claim: string }>(
      `select distinct c.claim from traceability.event_claim c
       join traceability.event e on e.tenant_id = c.tenant_id and e.id = c.event_id
       where c.tenant_id = $1 and c.claim = any($2::text[]) and e.status in ('prepared', 'submitted') and e.expires_at > $3`,
      [tx.tenantId, claims, now],
    );
    return new Set(rows.map((row) => row.claim));
  }

  override async insert(tx: TenantTx, events: readonly PreparedEventRow[]): Promise<void> {
    if (events.length === 0) return;
    const names = Object.keys(events[0]!.columns).join(', ');
    const claims = events.flatMap((event) => event.claims.map((claim) => ({ claim, id: event.columns['id'] })));
    await tx.sql(
      `with event as (
         insert into traceability.event (${names})
         select ${names} from jsonb_populate_recordset(null::traceability.event, $1::jsonb) returning tenant_id, id
       )
       insert into traceability.event_claim (tenant_id, claim, event_id)
       select e.tenant_id, c.claim, e.id from unnest($2::text[], $3::uuid[]) as c(claim, id) join event e on e.id = c.id
       on conflict do nothing`,
      [JSON.stringify(events.map((event) => event.columns)), claims.map(({ claim }) => claim), claims.map(({ id }) => id)],
    );
  }
}
