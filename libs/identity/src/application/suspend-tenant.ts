import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import type { AuditActor } from '../domain/audit.js';
import { tenantNotFound } from '../domain/errors.js';
import { subjectOf } from '../domain/revocation.js';
import type { TenantStatus } from '../domain/tenant.js';
import { Revocations } from '../ports.js';

/** Suspending shuts out the tenant's members and keys at once; its chain goes on, and is projected. */
@Injectable()
export class SuspendTenant {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
  ) {}

  suspend(slugOrId: string, by: AuditActor, reason: string | null = null): Promise<string> {
    return this.become('suspended', slugOrId, by, reason);
  }

  resume(slugOrId: string, by: AuditActor): Promise<string> {
    return this.become('active', slugOrId, by, null);
  }

  /** Said twice is said once. @returns the tenant's id @throws DomainError 404 `tenant_not_found` */
  private async become(status: TenantStatus, slugOrId: string, by: AuditActor, reason: string | null): Promise<string> {
    const id = await this.unitOfWork.asSystem(async (tx) => {
      const [tenant] = await tx.sql<{ id: string; status: TenantStatus }>(
        'select id, status from identity.tenant where slug = $1 or id::text = lower($1) for update',
        [slugOrId],
      );
      if (!tenant) throw tenantNotFound();
      if (tenant.status === status) return tenant.id;
      await tx.sql('update identity.tenant set status = $2 where id = $1', [tenant.id, status]);
      await this.revocations.record(tx, [subjectOf.tenant(tenant.id)]);
      const action = status === 'suspended' ? 'tenant.suspended' : 'tenant.resumed';
      await this.audit.record(tx, tenant.id, by, { action, subject: tenant.id, details: reason === null ? {} : { reason } });
      return tenant.id;
    });
    this.revocations.forget([subjectOf.tenant(id)]);
    return id;
  }
}
