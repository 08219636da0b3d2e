import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId, requireGrantable } from '#kernel';
import { UnitOfWork } from '#persistence';
import { OPERATOR } from '../audit/audit.js';
import { AuditLog, Quotas } from '../contract.js';
import { organisationNotFound, tenantNotFound } from '../errors.js';
import { ApiKey, type NewApiKey } from './api-key.js';
import { ApiKeysQueries } from './api-keys.queries.js';

@Injectable()
export class CreateApiKey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: ApiKeysQueries,
    private readonly audit: AuditLog,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  /**
   * @param by the administrator; null for the operator
   * @returns the key's row and its text, which cannot be shown again
   * @throws DomainError 422, 403 `beyond_own_grants`, 404 `tenant_not_found` or `organisation_not_found`, 429 `quota_exceeded`
   */
  create(tenantId: string, input: NewApiKey, by: Actor | null): Promise<{ readonly key: ApiKey; readonly text: string }> {
    return this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const environment = await this.keys.environment(tx);
      if (environment === null) throw tenantNotFound();
      const base = { id: newId(), secret: randomBytes(32), by: by?.id ?? null, at: this.clock.now() };
      const created = ApiKey.create({ id: tenantId, environment }, input, base);
      if (by) requireGrantable(by, input);
      const { id, name, roles, roleScopes, wallet, orgId, expiresAt } = created.key;
      if (orgId && !(await this.keys.hasOrganisation(tx, orgId))) throw organisationNotFound();
      await this.quotas.requireRoom(tx, 'keys');
      await this.keys.insert(tx, created.key);
      const details = { name, roles, roleScopes, wallet, orgId, expiresAt };
      await this.audit.record(tx, tenantId, by ?? OPERATOR, { action: 'api_key.created', subject: id, details });
      return created;
    });
  }
}
