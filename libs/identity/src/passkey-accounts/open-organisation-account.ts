import { Injectable } from '@nestjs/common';
import type { AccountConfig } from '#chain';
import { type Actor, type Problem, invalidContent } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries } from '../access/revocations.queries.js';
import { noOrganisationAccount, organisationAccountExists } from '../errors.js';
import { EditOrganisation } from '../organisations/change-organisation.js';
import { PasskeyAccountsQueries } from '../passkeys/passkey-accounts.queries.js';
import { BindWallet } from '../wallets/bind-wallet.js';
import { MOST_KEYS, accountKeyOf, namedKeys } from './account-keys.client.js';
import { AccountStateClient } from './account-state.client.js';
import type { AccountRecord } from './prepare-key.js';
import { ReserveAccount } from './reserve-account.js';

/**
 * The account that holds an organisation's lots. It has custody and never a role: the accounts of its members have the roles, and it approves
 * them, so that who signed stays known. Only the passkeys of its owners sign for it.
 */
@Injectable()
export class OpenOrganisationAccount {
  constructor(
    private readonly organisation: EditOrganisation,
    private readonly accounts: PasskeyAccountsQueries,
    private readonly reserve: ReserveAccount,
    private readonly bindWallet: BindWallet,
    private readonly revocations: RevocationsQueries,
  ) {}

  /**
   * @param owners user ids of members of the organisation, each with a passkey
   * @throws DomainError 403, 404 as of every change of an organisation; 409 `no_account_factory`, `organisation_account_exists`; 422 with a
   * pointer for each owner who cannot be one; 429 `quota_exceeded`
   */
  async open(actor: Actor, orgId: string, owners: readonly string[]): Promise<void> {
    const name = await this.organisation.edit(actor, orgId, (_, current) => Promise.resolve(current.name));
    const factory = await this.reserve.factory();
    await this.revocations.asSystem(async (tx, revoke) => {
      const { tenantId } = actor;
      const of = { tenantId, orgId };
      await this.accounts.lockOrganisation(tx, of);
      if (await this.accounts.ofOrganisation(tx, of)) throw organisationAccountExists();
      const keys = await this.keysOf(tx, of, owners);
      const address = await this.reserve.reserveIn(tx, { tenantId, userId: null, orgId, factory, keys, guarded: true });
      // The cached principals of members include the wallets of their organisation.
      await revoke(subjectOf.tenant(tenantId));
      await this.bindWallet.bindIn(tx, tenantId, { address, orgId, label: name });
      await tx.forTenant(tenantId, (own) => this.organisation.record(own, actor, orgId, { accountOpened: { address, owners } }));
    });
  }

  private async keysOf(
    tx: SystemTx,
    of: { readonly tenantId: string; readonly orgId: string },
    owners: readonly string[],
  ): Promise<AccountConfig['keys']> {
    const passkeys = await this.accounts.passkeysOfOrganisation(tx, of);
    const problems: Problem[] = [];
    const keys = owners.flatMap((owner, i) => {
      if (owners.indexOf(owner) < i) return [];
      const own = passkeys.filter(({ userId }) => userId === owner);
      const message = 'An owner is a member of the organisation and has a passkey.';
      if (own.length === 0) problems.push({ pointer: `/owners/${i}`, code: 'not_an_owner', message });
      return own.map(accountKeyOf);
    });
    const message = `The owners have ${keys.length} passkeys; an account has at most ${MOST_KEYS}.`;
    if (keys.length > MOST_KEYS) problems.push({ pointer: '/owners', code: 'too_many', message });
    if (problems.length > 0) throw invalidContent(problems);
    return keys;
  }
}

/** The account of an organisation, with those of its members' passkeys that may sign for it. */
@Injectable()
export class ReadOrganisationAccount {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: PasskeyAccountsQueries,
    private readonly chain: AccountStateClient,
  ) {}

  /** @throws DomainError 404 `organisation_account_not_found`; EngineUnavailable('chain') */
  async read(of: { readonly tenantId: string; readonly orgId: string }): Promise<AccountRecord> {
    const [account, passkeys] = await this.unitOfWork.readAsSystem((tx) =>
      Promise.all([this.accounts.ofOrganisation(tx, of), this.accounts.passkeysOfOrganisation(tx, of)]),
    );
    if (!account) throw noOrganisationAccount();
    const keys = namedKeys(passkeys, account.config);
    const keyIds = keys.map(({ keyId }) => keyId);
    return { account, keys, state: await this.chain.state(account.address, account.config, keyIds), replacement: null };
  }
}
