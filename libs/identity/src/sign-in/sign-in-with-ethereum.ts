import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import type { Account } from '../accounts/account.js';
import { AccountsQueries, type WalletHolder } from '../accounts/accounts.queries.js';
import { unknownWallet, walletOfSeveral } from '../errors.js';
import type { Origin } from '../access/device.js';
import type { LoginResult } from '../sessions/issue-tokens.js';
import { OpenSession } from '../sessions/open-session.js';
import { CheckSignature, type SignedMessage } from './check-signature.js';

interface SignIn extends SignedMessage {
  /** Slug or UUID, when several tenants have a member with this wallet. */
  readonly tenantId?: string | null;
}

/** docs/spec/service.md#siwe, in the order of docs/spec/reliability.md#identity-and-access. */
@Injectable()
export class SignInWithEthereum {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly signatures: CheckSignature,
    private readonly accounts: AccountsQueries,
    private readonly sessions: OpenSession,
  ) {}

  nonce(): Promise<string> {
    return this.signatures.nonce();
  }

  /**
   * @throws DomainError 400 for a malformed message, 401 `siwe_…` and `unknown_wallet`, 403 `not_a_member`, 409
   * `wallet_of_several_users`; EngineUnavailable('chain') when only the chain can verify the signature
   */
  async signIn({ tenantId = null, ...signed }: SignIn, from: Origin): Promise<LoginResult> {
    const address = await this.signatures.check(signed);
    const holders = await this.unitOfWork.asSystem((tx) => this.accounts.ofWallet(tx, address));
    return (await this.sessions.open(holderOf(holders, tenantId), { tenantId, from, wallet: address }))!;
  }
}

const isOf = ({ memberships }: Account, tenantId: string): boolean =>
  memberships.some((one) => one.slug === tenantId || one.tenantId === tenantId.toLowerCase());

/**
 * Who proved the wallet counts alone where no tenant is named: what is typed in one tenant changes no sign-in to another.
 * @throws DomainError 401 `unknown_wallet`, 409 `wallet_of_several_users`
 */
function holderOf(holders: readonly WalletHolder[], tenantId: string | null): Account {
  const [first] = holders;
  if (!first) throw unknownWallet();
  if (tenantId !== null) return (holders.find(({ account }) => isOf(account, tenantId)) ?? first).account;
  if (holders.filter(({ proven }) => proven === first.proven).length > 1) throw walletOfSeveral();
  return first.account;
}
