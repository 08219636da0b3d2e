import { AuditLog } from '#identity';
import { ANY_STATE, type Actor, Clock, type ExpectedState } from '#kernel';
import { UnitOfWork, lockForChange } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { PassportSetting } from './passport-setting.js';
import { SettingsQueries } from './settings.queries.js';

/** Whether and how a tenant shows passports: off until it turns them on. Changes are in the audit log. */
@Injectable()
export class ChangeSettings {
  constructor(
    private readonly work: UnitOfWork,
    private readonly settings: SettingsQueries,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** What is absent stays as it is. @returns the setting from now on @throws DomainError 412 */
  change(actor: Actor, change: Partial<PassportSetting>, expected: ExpectedState = ANY_STATE): Promise<PassportSetting> {
    return this.work.inTransaction(actor, async (tx) => {
      await lockForChange(tx, 'passports.setting');
      const from = await this.settings.read(tx);
      expected.check({ enabled: from.enabled, showIntegrity: from.showIntegrity, resolver: from.resolver });
      const to = {
        enabled: change.enabled ?? from.enabled,
        showIntegrity: change.showIntegrity ?? from.showIntegrity,
        resolver: change.resolver === undefined ? from.resolver : change.resolver,
      };
      if (to.enabled === from.enabled && to.showIntegrity === from.showIntegrity && to.resolver === from.resolver) return from;
      await this.settings.write(tx, to, { id: actor.id, at: this.clock.now() });
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passports.changed', details: { from, to } });
      return to;
    });
  }
}
