import { AuditLog } from '#identity';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { PassportSetting } from '../domain/facts.js';
import { PassportSettings } from '../ports.js';

/** Whether and how a tenant shows passports: off until it says so. What changed is in the audit log. */
@Injectable()
export class ChangeSettings {
  constructor(
    private readonly work: UnitOfWork,
    private readonly settings: PassportSettings,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** What is absent stays as it is. @returns the setting from now on */
  change(actor: Actor, asked: Partial<PassportSetting>): Promise<PassportSetting> {
    return this.work.inTransaction(actor, async (tx) => {
      const from = await this.settings.of(tx);
      const to = {
        enabled: asked.enabled ?? from.enabled,
        showIntegrity: asked.showIntegrity ?? from.showIntegrity,
        resolver: asked.resolver === undefined ? from.resolver : asked.resolver,
      };
      if (to.enabled === from.enabled && to.showIntegrity === from.showIntegrity && to.resolver === from.resolver) return from;
      await this.settings.set(tx, to, { id: actor.id, at: this.clock.now() });
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passports.changed', details: { from, to } });
      return to;
    });
  }
}
