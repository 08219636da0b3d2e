import { Injectable } from '@nestjs/common';
import { Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { slugTaken } from '../domain/errors.js';
import { type NewTenant, Tenant } from '../domain/tenant.js';

/** The tenant's contract is made on chain by whoever signs; the indexer joins it by `keccak256(slug)`. */
@Injectable()
export class CreateTenant {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422, 409 `slug_taken` */
  async create(input: NewTenant): Promise<Tenant> {
    const tenant = Tenant.create(input, newId(), this.clock.now());
    await this.unitOfWork.asSystem(async (tx) => {
      const made = await tx.repository(Tenant).createQueryBuilder().insert().values(tenant).orIgnore().returning('id').execute();
      if ((made.raw as unknown[]).length === 0) throw slugTaken(tenant.slug);
    });
    return tenant;
  }

  /** By its slug; null for an unknown one. */
  find(slug: string): Promise<Tenant | null> {
    return this.unitOfWork.asSystem((tx) => tx.repository(Tenant).findOneBy({ slug }));
  }
}
