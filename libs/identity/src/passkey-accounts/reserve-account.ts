import { randomBytes } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import { type AccountConfig, Deployments, accountAddress } from '#chain';
import type { SystemTx } from '#persistence';
import { noAccountFactory } from '../errors.js';
import { type PasskeyAccount, PasskeyAccountsQueries } from '../passkeys/passkey-accounts.queries.js';
import { PasskeysQueries, type Registrant } from '../passkeys/passkeys.queries.js';
import { accountKeyOf } from './account-keys.client.js';

type NewAccount = Pick<PasskeyAccount, 'tenantId' | 'userId' | 'orgId' | 'factory'> & Pick<AccountConfig, 'keys' | 'guarded'>;

/**
 * Accounts that are known here before anybody is shown their address. It has a random part: a lot that is offered to an account makes it a
 * party, and no wallet moves to a party.
 */
@Injectable()
export class ReserveAccount {
  constructor(
    private readonly accounts: PasskeyAccountsQueries,
    private readonly passkeys: PasskeysQueries,
    @Optional() private readonly deployments?: Deployments,
  ) {}

  /** Read before the transaction. @throws DomainError 409 `no_account_factory` */
  async factory(): Promise<string> {
    const factory = await this.deployments?.accountFactory();
    if (!factory) throw noAccountFactory();
    return factory;
  }

  /** @returns the address, EIP-55 */
  async reserveIn(tx: SystemTx, { keys, guarded, ...of }: NewAccount): Promise<string> {
    const config = { salt: `0x${randomBytes(32).toString('hex')}`, guarded, keys };
    const address = accountAddress(of.factory, config);
    await this.accounts.insert(tx, { ...of, address, config });
    return address;
  }

  /** Of all passkeys that a person has now; the same account for the same passkeys. @returns null without a passkey */
  async ofPasskeysIn(
    tx: SystemTx,
    { tenantId, userId }: Registrant,
    { factory, but }: { readonly factory: string; readonly but: string },
  ): Promise<string | null> {
    const keys = (await this.passkeys.list(tx, { tenantId, userId })).map(accountKeyOf);
    if (keys.length === 0) return null;
    const reserved = await this.accounts.madeOf(tx, { tenantId, userId, factory, keys });
    if (reserved && reserved.address !== but) return reserved.address;
    return this.reserveIn(tx, { tenantId, userId, orgId: null, factory, keys, guarded: false });
  }
}
