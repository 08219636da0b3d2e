import { Injectable } from '@nestjs/common';
import { Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import { siweInvalidSignature, siweUnknownNonce, unknownWallet, walletOfSeveral } from '../domain/errors.js';
import { type Account, chooseMembership, fingerprint } from '../domain/identity-payload.js';
import { Session } from '../domain/session.js';
import { MAX_SIGNATURE_BYTES, checkSiwe } from '../domain/siwe.js';
import { Accounts, SiweMessages, SiweNonces } from '../ports.js';
import { IdentitySettings } from '../settings.js';
import { IssueTokens, type LoginResult } from './issue-tokens.js';

export interface SignedMessage {
  /** The text form of EIP-4361, as it was signed. */
  readonly message: string;
  /** 0x and hex digits. */
  readonly signature: string;
  /** Slug or UUID, for whoever holds the wallet in several tenants. */
  readonly tenantId?: string | null;
}

/** Specification §5.3, in the order of reliability-decisions §3.4. */
@Injectable()
export class SignInWithEthereum {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly messages: SiweMessages,
    private readonly nonces: SiweNonces,
    private readonly accounts: Accounts,
    private readonly tokens: IssueTokens,
    private readonly settings: IdentitySettings,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  nonce(): Promise<string> {
    return this.unitOfWork.asSystem((tx) => this.nonces.issue(tx, this.clock.now()));
  }

  /**
   * @throws DomainError 400 for what is no message, 401 `siwe_…` and `unknown_wallet`, 403 `not_a_member`, 409
   * `wallet_of_several_users`; EngineUnavailable('chain') where only the chain could tell
   */
  async signIn({ message, signature, tenantId = null }: SignedMessage, ip: string): Promise<LoginResult> {
    const claims = this.messages.read(message);
    const { siweDomains: domains, chainId } = this.settings;
    checkSiwe(claims, { domains, chainId }, this.clock.now());
    if (!isHex(signature) || !(await this.messages.isSigned(message, signature))) throw siweInvalidSignature();
    // Of its own: what is refused after this has used up its nonce all the same.
    const fresh = await this.unitOfWork.asSystem((tx) => this.nonces.consume(tx, claims.nonce, this.clock.now()));
    if (!fresh) throw siweUnknownNonce();
    const holders = await this.unitOfWork.asSystem((tx) => this.accounts.ofWallet(tx, claims.address));
    return this.open(holderOf(holders, tenantId), claims.address, tenantId, ip);
  }

  private async open(account: Account, wallet: string, tenantId: string | null, ip: string): Promise<LoginResult> {
    const active = chooseMembership(account, tenantId);
    const { id: userId } = account.user;
    const session = Session.open(userId, active?.tenantId ?? null, fingerprint(account.memberships), newId(), this.clock.now(), wallet);
    await this.unitOfWork.asSystem(async (tx) => {
      await tx.repository(Session).insert(session);
      const entry = { action: 'login.succeeded', subject: userId, details: { wallet, ip } } as const;
      if (active) await this.audit.record(tx, active.tenantId, { kind: 'user', id: userId }, entry);
    });
    return this.tokens.issue(session, account, active);
  }
}

/** @throws DomainError 401 `unknown_wallet`, 409 `wallet_of_several_users` */
function holderOf(accounts: readonly Account[], tenantId: string | null): Account {
  const [first, ...others] = accounts;
  if (!first) throw unknownWallet();
  if (others.length === 0) return first;
  if (tenantId === null) throw walletOfSeveral();
  return accounts.find(({ memberships }) => memberships.some((one) => one.slug === tenantId || one.tenantId === tenantId)) ?? first;
}

const isHex = (signature: string): boolean => signature.length <= 2 + 2 * MAX_SIGNATURE_BYTES && /^0x([0-9a-fA-F]{2})+$/.test(signature);
