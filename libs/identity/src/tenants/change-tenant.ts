import { Injectable } from '@nestjs/common';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries } from '../access/revocations.queries.js';
import type { AuditActor, AuditEntry } from '../audit/audit.js';
import { AuditLog } from '../contract.js';
import { unknownTier } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import type { Tenant, TenantStatus } from './tenant.js';
import { TenantsQueries } from './tenants.queries.js';

/** Suspends and resumes tenants, and changes their tier. */
@Injectable()
export class ChangeTenant {
  constructor(
    private readonly tenants: TenantsQueries,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
    private readonly settings: IdentitySettings,
  ) {}

  /** Refuses the tenant's members and keys at once. Its contract stays usable, and the indexer keeps reading it. @returns the tenant's id @throws DomainError 404 `tenant_not_found` */
  suspend(slugOrId: string, by: AuditActor, reason: string | null = null): Promise<string> {
    return this.setStatus('suspended', slugOrId, by, reason);
  }

  /** @returns the tenant's id @throws DomainError 404 `tenant_not_found` */
  resume(slugOrId: string, by: AuditActor): Promise<string> {
    return this.setStatus('active', slugOrId, by, null);
  }

  /**
   * Rates and quotas. Effective at once for credentials that are looked up from now on, within seconds for quotas.
   * @returns the tenant's id
   * @throws DomainError 404 `tenant_not_found`, 422 `unknown_tier`
   */
  async changeTier(slugOrId: string, tier: string, by: AuditActor): Promise<string> {
    if (!this.settings.tiers.includes(tier)) throw unknownTier(tier, this.settings.tiers);
    return this.change(slugOrId, by, { tier }, (tenant) => ({
      action: 'tenant.tier_changed',
      subject: tenant.id,
      details: { from: tenant.tier, to: tier },
    }));
  }

  private setStatus(status: TenantStatus, slugOrId: string, by: AuditActor, reason: string | null): Promise<string> {
    return this.change(slugOrId, by, { status }, ({ id }) => ({
      action: status === 'suspended' ? 'tenant.suspended' : 'tenant.resumed',
      subject: id,
      details: reason === null ? {} : { reason },
    }));
  }

  /** A repeated change does nothing. */
  private change(
    slugOrId: string,
    by: AuditActor,
    changes: Partial<Pick<Tenant, 'status' | 'tier'>>,
    entryOf: (tenant: Pick<Tenant, 'id' | 'status' | 'tier'>) => AuditEntry,
  ): Promise<string> {
    return this.revocations.asSystem(async (tx, revoke) => {
      const tenant = await this.tenants.lock(tx, slugOrId);
      const changed = { ...tenant, ...changes };
      if (changed.status === tenant.status && changed.tier === tenant.tier) return tenant.id;
      await this.tenants.update(tx, tenant.id, changes);
      // Cached principals carry the old status and tier.
      await revoke(subjectOf.tenant(tenant.id));
      await this.audit.record(tx, tenant.id, by, entryOf(tenant));
      return tenant.id;
    });
  }
}
