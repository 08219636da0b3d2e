import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { ApiKey, type NewApiKey } from '../domain/api-key.js';
import { tenantNotFound } from '../domain/errors.js';
import { Tenant } from '../domain/tenant.js';

@Injectable()
export class CreateApiKey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @returns the key's row and its text, which cannot be told again @throws DomainError 422, 404 `tenant_not_found` */
  create(tenantId: string, input: NewApiKey, by: string | null): Promise<{ readonly key: ApiKey; readonly text: string }> {
    return this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const tenant = await tx.repository(Tenant).findOneBy({ id: tenantId });
      if (!tenant) throw tenantNotFound();
      const made = ApiKey.create(tenant, input, { id: newId(), secret: randomBytes(32), by, at: this.clock.now() });
      await tx.repository(ApiKey).insert(made.key);
      return made;
    });
  }
}
