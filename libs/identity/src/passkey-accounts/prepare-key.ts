import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import type { AccountCall } from '#chain';
import { KeepAccountCalls } from '#prepare';
import { AuditLog } from '../contract.js';
import { accountKeyUnknown, accountKeyTaken, lastAccountKey, noPasskeyAccount, passkeyNotFound, tooManyAccountKeys } from '../errors.js';
import { type PasskeyAccount, PasskeyAccountsQueries } from '../passkeys/passkey-accounts.queries.js';
import { PasskeysQueries, type Registrant } from '../passkeys/passkeys.queries.js';
import { type AccountState, MOST_KEYS, type NamedKey, callOfItself, namedKeys } from './account-keys.client.js';
import { AccountStateClient } from './account-state.client.js';

export interface AccountRecord {
  readonly account: PasskeyAccount;
  readonly keys: readonly NamedKey[];
  readonly state: AccountState;
  /** That a recovery moves the wallet to. */
  readonly replacement: PasskeyAccount | null;
}

/** The account on chain for which a person's passkeys sign. */
@Injectable()
export class ReadOwnAccount {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly passkeys: PasskeysQueries,
    private readonly accounts: PasskeyAccountsQueries,
    private readonly chain: AccountStateClient,
  ) {}

  /** @throws DomainError 409 `no_passkey_account`; EngineUnavailable('chain') */
  async read(of: Registrant): Promise<AccountRecord> {
    const [account, passkeys, replacement] = await this.unitOfWork.readAsSystem((tx) =>
      Promise.all([this.accounts.ofWallet(tx, of), this.passkeys.list(tx, of), this.accounts.replacementOf(tx, of)]),
    );
    if (!account) throw noPasskeyAccount();
    const keys = namedKeys(passkeys, account.config);
    const keyIds = keys.map(({ keyId }) => keyId);
    return { account, keys, state: await this.chain.state(account.address, account.config, keyIds), replacement };
  }
}

/** A call that an account makes to itself, with its name for a relay. */
export interface KeyCall extends AccountCall {
  readonly preparedId: string | null;
}

/** Adding a key is the dearest of the changes; from within, no node can estimate them. */
const KEY_CHANGE_GAS = 120_000;

/** @param calls of accounts to themselves */
export async function withNames(keep: KeepAccountCalls, calls: readonly AccountCall[]): Promise<readonly KeyCall[]> {
  const ids = await keep.keep(calls.map(({ to, data }) => ({ sender: to, to, data, gas: KEY_CHANGE_GAS })));
  return calls.map((call, i) => ({ ...call, preparedId: ids[i]! }));
}

/** Calls by which a person's account lets another of their passkeys sign, or lets one sign no longer. A passkey that signs already signs them. */
@Injectable()
export class PrepareKey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly own: ReadOwnAccount,
    private readonly chain: AccountStateClient,
    private readonly audit: AuditLog,
    private readonly keep: KeepAccountCalls,
  ) {}

  /** @throws DomainError 404 `passkey_not_found`, 409 `no_passkey_account`, `account_key_taken`, `too_many_account_keys` */
  async add(of: Registrant, passkeyId: string): Promise<readonly KeyCall[]> {
    const { account, keys, state } = await this.own.read(of);
    const named = keys.find(({ passkey }) => passkey?.id === passkeyId);
    if (!named) throw passkeyNotFound();
    if (state.keys.get(named.keyId)?.signs) throw accountKeyTaken();
    if (state.keyCount >= MOST_KEYS) throw tooManyAccountKeys(MOST_KEYS);
    await this.record(of, account, { added: named.keyId, passkey: passkeyId });
    return withNames(this.keep, [callOfItself(account.address, 'addKey', named.key)]);
  }

  /**
   * @param keyId also of a passkey that is deleted here
   * @throws DomainError 404 `account_key_not_found`, 409 `no_passkey_account`, `last_account_key`
   */
  async remove(of: Registrant, keyId: string): Promise<readonly KeyCall[]> {
    const { account } = await this.own.read(of);
    const state = /^0x[0-9a-f]{64}$/.test(keyId) ? await this.chain.state(account.address, account.config, [keyId]) : null;
    if (!state?.keys.get(keyId)?.signs) throw accountKeyUnknown();
    if (state.keyCount === 1) throw lastAccountKey();
    await this.record(of, account, { removed: keyId });
    return withNames(this.keep, [callOfItself(account.address, 'removeKey', keyId)]);
  }

  private record({ userId, tenantId }: Registrant, { address }: PasskeyAccount, details: Readonly<Record<string, string>>): Promise<void> {
    return this.unitOfWork.asSystem((tx) =>
      this.audit.record(
        tx,
        tenantId,
        { kind: 'user', id: userId },
        { action: 'account.key_prepared', subject: userId, details: { address, ...details } },
      ),
    );
  }
}
