import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertRounds, type Round, type SourceName, type Walk } from '../../alerts.ports.js';

/** Whose turn it is. */
@Injectable()
export class SqlAlertRounds extends AlertRounds {
  override async take(tx: SystemTx, now: Date, leaseMs: number): Promise<string | null> {
    await tx.sql(
      `insert into reports.alert_round (tenant_id, next_at) select t.tenant_id, $1 from identity.tenant_v1 t
       where not exists (select from reports.alert_round r where r.tenant_id = t.tenant_id) on conflict do nothing`,
      [now],
    );
    const [taken] = await tx.sql<{ tenant_id: string }>(
      `update reports.alert_round r set next_at = $2
       from (select tenant_id from reports.alert_round where next_at <= $1 order by next_at limit 1 for update skip locked) due
       where r.tenant_id = due.tenant_id returning r.tenant_id`,
      [now, new Date(now.getTime() + leaseMs)],
    );
    return taken?.tenant_id ?? null;
  }

  override async walk(tx: TenantTx, source: SourceName, digest: string): Promise<Walk> {
    const [row] = await tx.sql<Walk & { readonly rules: string | null }>(
      `select place, again_after as "againAfter", rules from reports.alert_walk where tenant_id = $1 and source = $2`,
      [tx.tenantId, source],
    );
    return row?.rules === digest ? row : { place: null, againAfter: row?.againAfter ?? null };
  }

  override async walked(tx: TenantTx, source: SourceName, digest: string, { place, againAfter }: Walk): Promise<void> {
    await tx.sql(
      `insert into reports.alert_walk (tenant_id, source, place, again_after, rules) values ($1, $2, $3, $4, $5)
       on conflict (tenant_id, source) do update set place = excluded.place, again_after = excluded.again_after, rules = excluded.rules
       where (alert_walk.place, alert_walk.again_after, alert_walk.rules) is distinct from (excluded.place, excluded.again_after, excluded.rules)`,
      [tx.tenantId, source, place, againAfter, digest],
    );
  }

  override async done(tx: TenantTx, { at, block, tookMs, complete, nextAt }: Round): Promise<void> {
    await tx.sql(
      `update reports.alert_round set evaluated_at = $2, evaluated_block = $3, took_ms = $4, complete = $5, next_at = $6 where tenant_id = $1`,
      [tx.tenantId, at, block, tookMs, complete, nextAt],
    );
  }

  /** Counting a million lots takes a second: it is done at every twentieth part of the time. */
  override async countLots(tx: TenantTx, now: Date): Promise<void> {
    const [due] = await tx.sql(
      `select from reports.alert_round where tenant_id = $1
         and (counted_at is null or counted_at + make_interval(secs => coalesce(counting_ms, 0) / 50.0) <= $2)`,
      [tx.tenantId, now],
    );
    if (!due) return;
    const began = performance.now();
    const [counted] = await tx.sql<{ n: string }>(
      `select count(*) as n from traceability.lot_v1 where tenant_id = $1 and status = 'active' and not is_container`,
      [tx.tenantId],
    );
    await tx.sql('update reports.alert_round set active_lots = $2, counted_at = $3, counting_ms = $4 where tenant_id = $1', [
      tx.tenantId,
      counted!.n,
      now,
      Math.round(performance.now() - began),
    ]);
  }
}
