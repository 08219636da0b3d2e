import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { organisationNotFound, siteNotFound, walletTaken } from '../domain/errors.js';
import { Organisation, Site } from '../domain/organisation.js';
import { subjectOf } from '../domain/revocation.js';
import { type NewBinding, Wallet } from '../domain/wallet.js';
import { Revocations } from '../ports.js';

/** Says who stands behind an address. Said twice it is the same; another's address is not taken. */
@Injectable()
export class BindWallet {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly revocations: Revocations,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422, 404 `organisation_not_found` or `site_not_found`, 409 `wallet_taken` */
  async bind(tenantId: string, input: NewBinding): Promise<Wallet> {
    const subjects = [subjectOf.tenant(tenantId)];
    const bound = await this.unitOfWork.asSystem(async (tx) => {
      // An organisation's wallets are part of what its members may do, and members are remembered.
      await this.revocations.record(tx, subjects);
      return this.bindIn(tx, tenantId, input);
    });
    this.revocations.forget(subjects);
    return bound;
  }

  bindIn(tx: SystemTx, tenantId: string, input: NewBinding): Promise<Wallet> {
    const wallet = Wallet.bind(tenantId, input, this.clock.now());
    return tx.forTenant(tenantId, async (own) => {
      if (wallet.orgId && !(await own.repository(Organisation).existsBy({ tenantId, id: wallet.orgId }))) throw organisationNotFound();
      if (wallet.siteId && !(await own.repository(Site).existsBy({ tenantId, id: wallet.siteId }))) throw siteNotFound();
      const wallets = own.repository(Wallet);
      await wallets.createQueryBuilder().insert().values(wallet).orIgnore().execute();
      const standing = await wallets.findOneOrFail({ where: { tenantId, address: wallet.address }, lock: { mode: 'pessimistic_write' } });
      const merged = standing.merge(wallet);
      if (!merged) throw walletTaken(wallet.address);
      return wallets.save(merged);
    });
  }
}
