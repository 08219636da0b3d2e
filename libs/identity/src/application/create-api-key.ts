import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog, Quotas } from '../contract.js';
import { ApiKey, type NewApiKey } from '../domain/api-key.js';
import { OPERATOR } from '../domain/audit.js';
import { checkDelegation } from '../domain/delegation.js';
import { organisationNotFound, tenantNotFound } from '../domain/errors.js';
import { Organisation } from '../domain/organisation.js';
import { Tenant } from '../domain/tenant.js';

@Injectable()
export class CreateApiKey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditLog,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  /**
   * @param by the administrator; null for whoever operates the service
   * @returns the key's row and its text, which cannot be told again
   * @throws DomainError 422, 404 `tenant_not_found` or `organisation_not_found`, 429 `quota_exceeded`
   */
  create(tenantId: string, input: NewApiKey, by: Actor | null): Promise<{ readonly key: ApiKey; readonly text: string }> {
    return this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const tenant = await tx.repository(Tenant).findOneBy({ id: tenantId });
      if (!tenant) throw tenantNotFound();
      const made = ApiKey.create(tenant, input, { id: newId(), secret: randomBytes(32), by: by?.id ?? null, at: this.clock.now() });
      if (by) checkDelegation(by, input);
      if (made.key.orgId && !(await tx.repository(Organisation).existsBy({ tenantId, id: made.key.orgId }))) throw organisationNotFound();
      await this.quotas.requireRoom(tx, 'keys');
      await tx.repository(ApiKey).insert(made.key);
      const { id, name, roles, roleScopes, wallet, orgId, expiresAt } = made.key;
      await this.audit.record(tx, tenantId, by ?? OPERATOR, {
        action: 'api_key.created',
        subject: id,
        details: { name, roles, roleScopes, wallet, orgId, expiresAt },
      });
      return made;
    });
  }
}
