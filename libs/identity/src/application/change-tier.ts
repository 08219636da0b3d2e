import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import type { AuditActor } from '../domain/audit.js';
import { tenantNotFound, unknownTier } from '../domain/errors.js';
import { subjectOf } from '../domain/revocation.js';
import { Revocations } from '../ports.js';
import { IdentitySettings } from '../settings.js';

/** Rates and quotas of a tenant: a wider or a narrower tier counts at once for new credentials' look-ups, within seconds for quotas. */
@Injectable()
export class ChangeTier {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
    private readonly settings: IdentitySettings,
  ) {}

  /** @returns the tenant's id @throws DomainError 404 `tenant_not_found`, 422 `unknown_tier` */
  async change(slugOrId: string, tier: string, by: AuditActor): Promise<string> {
    if (!this.settings.tiers.includes(tier)) throw unknownTier(tier, this.settings.tiers);
    const id = await this.unitOfWork.asSystem(async (tx) => {
      const [tenant] = await tx.sql<{ id: string; tier: string }>(
        'select id, tier from identity.tenant where slug = $1 or id::text = lower($1) for update',
        [slugOrId],
      );
      if (!tenant) throw tenantNotFound();
      if (tenant.tier === tier) return tenant.id;
      await tx.sql('update identity.tenant set tier = $2 where id = $1', [tenant.id, tier]);
      // What is remembered of its principals carries the old tier.
      await this.revocations.record(tx, [subjectOf.tenant(tenant.id)]);
      await this.audit.record(tx, tenant.id, by, {
        action: 'tenant.tier_changed',
        subject: tenant.id,
        details: { from: tenant.tier, to: tier },
      });
      return tenant.id;
    });
    this.revocations.forget([subjectOf.tenant(id)]);
    return id;
  }
}
