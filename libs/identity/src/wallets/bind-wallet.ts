import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries } from '../access/revocations.queries.js';
import { Quotas } from '../contract.js';
import { walletTaken } from '../errors.js';
import { type NewBinding, Wallet } from './wallet.js';
import { WalletsQueries } from './wallets.queries.js';

/** Records who owns an address. Repeating it changes nothing; an address of somebody else is refused, except for who proves it. */
@Injectable()
export class BindWallet {
  constructor(
    private readonly wallets: WalletsQueries,
    private readonly revocations: RevocationsQueries,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422, 404 `organisation_not_found` or `site_not_found`, 409 `wallet_taken`, 429 `quota_exceeded` */
  bind(tenantId: string, input: NewBinding): Promise<Wallet> {
    return this.revocations.asSystem(async (tx, revoke) => {
      // The cached principals of members include the wallets of their organisation.
      await revoke(subjectOf.tenant(tenantId));
      return this.bindIn(tx, tenantId, input);
    });
  }

  bindIn(tx: SystemTx, tenantId: string, input: NewBinding): Promise<Wallet> {
    const wallet = Wallet.bind(tenantId, input, this.clock.now());
    return tx.forTenant(tenantId, async (own) => {
      await this.wallets.requirePlaces(own, wallet);
      // An account that several people sign for would do in the name of one what another has signed.
      if (wallet.userId !== null && (await this.wallets.isOrganisationAccount(own, wallet.address))) throw walletTaken(wallet.address);
      const owner = wallet.orgId ?? wallet.userId;
      if (!(await this.wallets.isOf(own, wallet.address, owner))) await this.quotas.requireRoom(own, 'wallets', owner);
      const merged = (await this.wallets.insertOrLock(own, wallet)).merge(wallet);
      if (!merged) throw walletTaken(wallet.address);
      return this.wallets.save(own, merged);
    });
  }

  /** Inside a transaction that revokes the tenant's principals. @returns false when the organisation has no such wallet */
  unbindIn(tx: TenantTx, orgId: string, address: string): Promise<boolean> {
    return this.wallets.delete(tx, orgId, address);
  }
}
