import { Injectable } from '@nestjs/common';
import { Clock, DomainError, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type NewOrganisation, Organisation } from '../domain/organisation.js';

@Injectable()
export class CreateOrganisation {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422, 409 `organisation_name_taken` */
  async create(tenantId: string, input: NewOrganisation): Promise<Organisation> {
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
      if ((made.raw as unknown[]).length === 0)
        throw new DomainError('organisation_name_taken', 409, `There is an organisation called ${organisation.name} already.`);
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
