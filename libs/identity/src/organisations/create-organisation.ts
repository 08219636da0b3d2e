import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { OPERATOR } from '../audit/audit.js';
import { AuditLog, Quotas } from '../contract.js';
import { organisationNameTaken } from '../errors.js';
import { type NewOrganisation, Organisation } from './organisation.js';
import { OrganisationsQueries } from './organisations.queries.js';

@Injectable()
export class CreateOrganisation {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly organisations: OrganisationsQueries,
    private readonly audit: AuditLog,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  /** @param by null for the operator @throws DomainError 422, 409 `organisation_name_taken`, 429 `quota_exceeded` */
  async create(tenantId: string, input: NewOrganisation, by: Actor | null = null): Promise<Organisation> {
    const organisation = Organisation.create(tenantId, input, newId(), this.clock.now());
    await this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      await this.organisations.lockNames(tx);
      await this.quotas.requireRoom(tx, 'organisations');
      if (!(await this.organisations.insert(tx, organisation))) throw organisationNameTaken(organisation.name);
      const { id, name } = organisation;
      await this.audit.record(tx, tenantId, by ?? OPERATOR, { action: 'organisation.created', subject: id, details: { name } });
    });
    return organisation;
  }

  /** By its name in any case; null for an unknown name. */
  find(tenantId: string, name: string): Promise<Organisation | null> {
    return this.unitOfWork.inTransaction({ tenantId }, (tx) => this.organisations.byName(tx, name.trim()));
  }
}
