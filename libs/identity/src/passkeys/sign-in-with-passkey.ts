import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import type { Account } from '../accounts/account.js';
import { AccountsQueries, inTenant } from '../accounts/accounts.queries.js';
import { AuditLog } from '../contract.js';
import { passkeyChallengeUnknown, passkeyCloned, passkeyMalformed, passkeyOfOtherTenant, passkeyUnknown } from '../errors.js';
import type { Origin } from '../access/device.js';
import type { LoginResult } from '../sessions/issue-tokens.js';
import { OpenSession } from '../sessions/open-session.js';
import { type AuthenticatorAnswer, type Passkey, readAnswer, wentBack } from './passkey.js';
import { PasskeysQueries } from './passkeys.queries.js';
import { RegisterPasskey } from './register-passkey.js';
import { WebauthnClient } from './webauthn.client.js';

interface PasskeySignIn {
  readonly response: Record<string, unknown>;
  /** Slug or UUID of the tenant that the person means to sign in to. */
  readonly tenantId?: string | null;
}

/** What a sign-in checks beyond the signature: whose passkey it is, and that nobody used a copy of it. */
@Injectable()
export class CheckPasskey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly passkeys: PasskeysQueries,
    private readonly webauthn: WebauthnClient,
    private readonly audit: AuditLog,
  ) {}

  async options(): Promise<object> {
    return this.webauthn.authenticationOptions(await this.passkeys.issueChallenge(null));
  }

  /** @throws DomainError 400 `passkey_malformed`, 401 `passkey_…` */
  async check(response: Record<string, unknown>): Promise<Passkey> {
    const answer = readAnswer(response);
    if (!answer) throw passkeyMalformed();
    if (!(await this.passkeys.consumeChallenge(answer.clientData.challenge, null))) throw passkeyChallengeUnknown();
    const passkey = await this.unitOfWork.readAsSystem((tx) => this.passkeys.byId(tx, answer.id));
    if (!passkey) throw passkeyUnknown();
    await this.use(passkey, answer);
    return passkey;
  }

  private async use(passkey: Passkey, answer: AuthenticatorAnswer): Promise<void> {
    const after = await this.webauthn.verifyAuthentication(answer, passkey);
    const counted = await this.unitOfWork.asSystem(async (tx) => {
      if (!wentBack(passkey.signCount, after.signCount) && (await this.passkeys.recordUse(tx, passkey, after))) return true;
      const { userId, tenantId, id, signCount } = passkey;
      const details = { passkey: id, before: signCount, after: after.signCount };
      await this.audit.record(tx, tenantId, { kind: 'user', id: userId }, { action: 'passkey.clone_suspected', subject: userId, details });
      return false;
    });
    if (!counted) throw passkeyCloned();
  }
}

/** Login and second factor at once: something the person has, unlocked by something they know or are. */
@Injectable()
export class SignInWithPasskey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly checkPasskey: CheckPasskey,
    private readonly accounts: AccountsQueries,
    private readonly sessions: OpenSession,
    private readonly register: RegisterPasskey,
  ) {}

  options(): Promise<object> {
    return this.checkPasskey.options();
  }

  /** @throws DomainError 400 `passkey_malformed`, 401 `passkey_…`, 403 `passkey_of_other_tenant` */
  async signIn({ response, tenantId = null }: PasskeySignIn, from: Origin): Promise<LoginResult> {
    return this.open(await this.checkPasskey.check(response), tenantId, from);
  }

  /** @param passkey that was just checked, or just made */
  async open(passkey: Pick<Passkey, 'id' | 'userId' | 'tenantId'>, asked: string | null, from: Origin): Promise<LoginResult> {
    const { tenantId } = passkey;
    const account = await this.accountOf(passkey);
    const { slug, wallet, proposedWallet } = account.memberships[0]!;
    if (asked !== null && asked !== slug && asked.toLowerCase() !== tenantId) throw passkeyOfOtherTenant();
    const opened = wallet === null && proposedWallet === null && (await this.register.openAccount(passkey));
    const now = opened ? await this.accountOf(passkey) : account;
    return (await this.sessions.open(now, { tenantId, from, wallet: null, passkey }))!;
  }

  /** With its one membership. */
  private async accountOf({ userId, tenantId }: Pick<Passkey, 'userId' | 'tenantId'>): Promise<Account> {
    const found = await this.unitOfWork.asSystem((tx) => this.accounts.byId(tx, userId));
    const account = found && inTenant(tenantId, found);
    if (!account?.memberships[0]) throw passkeyUnknown();
    return account;
  }
}
