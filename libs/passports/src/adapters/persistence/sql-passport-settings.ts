import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { DEFAULT_SETTING, type PassportSetting } from '../../domain/facts.js';
import { PassportSettings } from '../../ports.js';

@Injectable()
export class SqlPassportSettings extends PassportSettings {
  override async of(tx: TenantTx): Promise<PassportSetting> {
    const [row] = await tx.sql<PassportSetting>(
      'select enabled, show_integrity as "showIntegrity", resolver from passports.setting where tenant_id = $1',
      [tx.tenantId],
    );
    return row ?? DEFAULT_SETTING;
  }

  override async set(tx: TenantTx, setting: PassportSetting, by: { readonly id: string; readonly at: Date }): Promise<void> {
    await tx.sql(
      `insert into passports.setting (tenant_id, enabled, show_integrity, resolver, changed_by, changed_at) values ($1, $2, $3, $4, $5, $6)
       on conflict (tenant_id) do update set enabled = excluded.enabled, show_integrity = excluded.show_integrity,
         resolver = excluded.resolver, changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
      [tx.tenantId, setting.enabled, setting.showIntegrity, setting.resolver, by.id, by.at],
    );
  }

  override async showing(tx: SystemTx): Promise<readonly { readonly tenantId: string; readonly issuedTo: number }[]> {
    const rows = await tx.sql<{ tenantId: string; issuedTo: string }>(
      'select tenant_id as "tenantId", issued_to as "issuedTo" from passports.setting where enabled order by tenant_id',
    );
    return rows.map((row) => ({ ...row, issuedTo: Number(row.issuedTo) }));
  }

  override async issuedTo(tx: TenantTx, block: number): Promise<void> {
    await tx.sql('update passports.setting set issued_to = $2 where tenant_id = $1 and issued_to < $2', [tx.tenantId, block]);
  }
}
