import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';

/** A kept event, and the recorded one that takes its place. */
export interface ReplacedEvent {
  readonly kept: string;
  readonly key: string;
}

/** Events that subscriptions to queries have not examined yet, by their keys. Written with the events themselves, so that none is missed. */
@Injectable()
export class PendingEventQueries {
  /** For every subscription of the tenant. An event that waits already is not added. */
  async announce(tx: TenantTx, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    // A subscription that is being made waits for this transaction, or this one sees it.
    await tx.sql(`select pg_advisory_xact_lock_shared(${LOCK})`, [tx.tenantId]);
    await tx.sql(
      `insert into interchange.epcis_pending (tenant_id, subscription_id, key)
       select $1, s.id, k.key from interchange.epcis_subscription s cross join unnest($2::text[]) with ordinality as k(key, place)
       where s.tenant_id = $1 order by k.place on conflict do nothing`,
      [tx.tenantId, keys],
    );
  }

  /** For events that are final: a subscription that had them when they were only kept does not get them again. */
  async announceFinal(tx: TenantTx, keys: readonly string[]): Promise<void> {
    await this.announce(tx, keys);
    if (keys.length > 0)
      await tx.sql('delete from interchange.epcis_pending where tenant_id = $1 and key = any($2::text[]) and is_done', [tx.tenantId, keys]);
  }

  /** What waits under the key of a kept event waits under that of the recorded one; what was sent is remembered until that is final. */
  async replaced(tx: TenantTx, events: readonly ReplacedEvent[]): Promise<void> {
    if (events.length === 0) return;
    const [kept, keys] = [events.map((one) => one.kept), events.map((one) => one.key)];
    await tx.sql(`select pg_advisory_xact_lock_shared(${LOCK})`, [tx.tenantId]);
    await tx.sql(
      `with replaced as (select * from unnest($2::text[], $3::text[]) as r(kept, key)
       ), waiting as (
         delete from interchange.epcis_pending p using replaced r where p.tenant_id = $1 and p.key = r.kept and not p.is_done
         returning p.subscription_id, r.key
       )
       insert into interchange.epcis_pending (tenant_id, subscription_id, key, is_done)
       select distinct on (s.id, r.key) $1::uuid, s.id, r.key, not exists (select from waiting w where w.subscription_id = s.id and w.key = r.key)
       from interchange.epcis_subscription s cross join replaced r
       where s.tenant_id = $1 and exists (
         select from interchange.epcis_event e where e.tenant_id = $1 and e.key = r.kept and e.record_time >= s.since)
       on conflict do nothing`,
      [tx.tenantId, kept, keys],
    );
  }

  /** Makes those wait that write events, until the end of the transaction. */
  async hold(tx: TenantTx): Promise<void> {
    await tx.sql(`select pg_advisory_xact_lock(${LOCK})`, [tx.tenantId]);
  }
}

const LOCK = `hashtextextended('interchange.epcis-subscription:' || $1::text, 0)`;
