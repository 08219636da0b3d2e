import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import { OPERATOR } from '../domain/audit.js';
import { organisationNameTaken } from '../domain/errors.js';
import { type NewOrganisation, Organisation } from '../domain/organisation.js';

@Injectable()
export class CreateOrganisation {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422, 409 `organisation_name_taken` */
  async create(tenantId: string, input: NewOrganisation, by: Actor | null = null): Promise<Organisation> {
    const organisation = Organisation.create(tenantId, input, newId(), this.clock.now());
    await this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const made = await tx
        .repository(Organisation)
        .createQueryBuilder()
        .insert()
        .values(organisation as never)
        .orIgnore()
        .returning('id')
        .execute();
      if ((made.raw as unknown[]).length === 0) throw organisationNameTaken(organisation.name);
      const { id, name } = organisation;
      await this.audit.record(tx, tenantId, by ?? OPERATOR, { action: 'organisation.created', subject: id, details: { name } });
    });
    return organisation;
  }

  /** By its name in any case; null for an unknown one. */
  async find(tenantId: string, name: string): Promise<Organisation | null> {
    return this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const [row] = await tx.sql<{ id: string }>('select id from identity.organisation where tenant_id = $1 and lower(name) = lower($2)', [
        tenantId,
        name.trim(),
      ]);
      return row ? tx.repository(Organisation).findOneBy({ tenantId, id: row.id }) : null;
    });
  }
}
