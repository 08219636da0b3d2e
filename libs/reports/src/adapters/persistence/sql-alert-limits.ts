import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertLimits } from '../../alerts.ports.js';

@Injectable()
export class SqlAlertLimits extends AlertLimits {
  override async own(tx: TenantTx): Promise<Readonly<Record<string, number>>> {
    const rows = await tx.sql<{ name: string; value: number }>('select name, value from reports.alert_limit where tenant_id = $1', [
      tx.tenantId,
    ]);
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  }

  override async set(tx: TenantTx, limits: Readonly<Record<string, number | null>>, by: string, at: Date): Promise<void> {
    const given = Object.entries(limits);
    const names = (which: (value: number | null) => boolean): string[] => given.filter(([, value]) => which(value)).map(([name]) => name);
    await tx.sql('delete from reports.alert_limit where tenant_id = $1 and name = any ($2)', [
      tx.tenantId,
      names((value) => value === null),
    ]);
    await tx.sql(
      `insert into reports.alert_limit (tenant_id, name, value, set_at, set_by)
       select $1, l.name, l.value, $4, $5 from unnest($2::text[], $3::float8[]) as l(name, value)
       on conflict (tenant_id, name) do update set value = excluded.value, set_at = excluded.set_at, set_by = excluded.set_by`,
      [tx.tenantId, names((value) => value !== null), given.flatMap(([, value]) => value ?? []), at, by],
    );
    // The next round comes at once.
    await tx.sql('update reports.alert_round set next_at = $2 where tenant_id = $1 and next_at > $2', [tx.tenantId, at]);
  }
}
