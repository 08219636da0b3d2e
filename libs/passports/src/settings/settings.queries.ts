import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { DEFAULT_SETTING, type PassportSetting } from './passport-setting.js';

/** Whether and how tenants show passports. */
@Injectable()
export class SettingsQueries {
  async read(tx: TenantTx): Promise<PassportSetting> {
    const [row] = await tx.sql<PassportSetting>(
      'select enabled, show_integrity as "showIntegrity", resolver from passports.setting where tenant_id = $1',
      [tx.tenantId],
    );
    return row ?? DEFAULT_SETTING;
  }

  async write(tx: TenantTx, setting: PassportSetting, by: { readonly id: string; readonly at: Date }): Promise<void> {
    await tx.sql(
      `insert into passports.setting (tenant_id, enabled, show_integrity, resolver, changed_by, changed_at) values ($1, $2, $3, $4, $5, $6)
       on conflict (tenant_id) do update set enabled = excluded.enabled, show_integrity = excluded.show_integrity,
         resolver = excluded.resolver, changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
      [tx.tenantId, setting.enabled, setting.showIntegrity, setting.resolver, by.id, by.at],
    );
  }

  /** Tenants that show passports, with the block up to which theirs are issued. */
  async showing(tx: SystemTx): Promise<readonly { readonly tenantId: string; readonly issuedTo: number }[]> {
    const rows = await tx.sql<{ tenantId: string; issuedTo: string }>(
      'select tenant_id as "tenantId", issued_to as "issuedTo" from passports.setting where enabled order by tenant_id',
    );
    return rows.map((row) => ({ ...row, issuedTo: Number(row.issuedTo) }));
  }

  /** Up to which block the tenant's passports are issued; it only grows. */
  async advance(tx: TenantTx, block: number): Promise<void> {
    await tx.sql('update passports.setting set issued_to = $2 where tenant_id = $1 and issued_to < $2', [tx.tenantId, block]);
  }

  /**
   * Up to which block the tenant's passports are issued. Until the end of the transaction nobody else issues for this tenant.
   * @returns null when it shows none, or (`skip`) when another transaction issues for it
   */
  async lockIssued(tx: TenantTx, ifLocked: 'wait' | 'skip'): Promise<number | null> {
    const [row] = await tx.sql<{ issuedTo: string }>(
      `select issued_to as "issuedTo" from passports.setting where tenant_id = $1 and enabled for update ${ifLocked === 'skip' ? 'skip locked' : ''}`,
      [tx.tenantId],
    );
    return row ? Number(row.issuedTo) : null;
  }
}
