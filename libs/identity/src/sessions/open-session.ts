import { Injectable } from '@nestjs/common';
import { Clock, newId } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { type Account, chooseMembership, fingerprint, joined, membershipIn } from '../accounts/account.js';
import { AccountsQueries } from '../accounts/accounts.queries.js';
import { AuditLog } from '../contract.js';
import { invalidToken } from '../errors.js';
import type { Origin } from '../access/device.js';
import { IssueTokens, type LoginResult } from './issue-tokens.js';
import { Session } from './session.js';
import { SessionsQueries } from './sessions.queries.js';

interface Opening {
  /** Slug or UUID of the tenant to sign in to; null when the user did not name one. */
  readonly tenantId: string | null;
  readonly from: Origin;
  /** EIP-55 of the wallet that signed; null after a password. */
  readonly wallet: string | null;
  /** The passkey that signed, and the only tenant that it is for. */
  readonly passkey?: { readonly id: string; readonly tenantId: string };
  /** What must still be true in the transaction that opens the session, and what is written with it. */
  readonly confirm?: (tx: SystemTx) => Promise<boolean>;
}

/** Opens a session for a user whose credential was checked, and issues its first tokens. */
@Injectable()
export class OpenSession {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessions: SessionsQueries,
    private readonly tokens: IssueTokens,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @returns null when `confirm` refused @throws DomainError 403 `not_a_member` or `no_membership` */
  async open(given: Account, { tenantId, from, wallet, passkey, confirm }: Opening): Promise<LoginResult | null> {
    const active = chooseMembership(given, tenantId);
    const account = joined(given, active);
    const { id: userId } = account.user;
    const { ip, browser, system } = from;
    const reach = { wallet, onlyTenant: passkey?.tenantId ?? null, browser, system };
    const session = Session.open(
      { id: newId(), userId, activeTenant: active?.tenantId ?? null, loginFingerprint: fingerprint(account.memberships), ...reach },
      this.clock.now(),
    );
    const opened = await this.unitOfWork.asSystem(async (tx) => {
      if (confirm && !(await confirm(tx))) return false;
      await this.sessions.insert(tx, session);
      if (active) await this.sessions.acceptMembership(tx, session, active.tenantId);
      const details = { ip, ...(wallet !== null && { wallet }), ...(passkey && { passkey: passkey.id }) };
      if (active)
        await this.audit.record(tx, active.tenantId, { kind: 'user', id: userId }, { action: 'login.succeeded', subject: userId, details });
      return true;
    });
    return opened ? this.tokens.issue(session, account, active) : null;
  }
}

/** Select and switch: from now on the session is for that tenant. Its refresh token stays valid. */
@Injectable()
export class SelectTenant {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsQueries,
    private readonly sessions: SessionsQueries,
    private readonly tokens: IssueTokens,
    private readonly audit: AuditLog,
  ) {}

  /** @param tenantId slug or UUID @throws DomainError 403 `not_a_member` */
  select(caller: { readonly userId: string; readonly sessionId: string }, tenantId: string): Promise<LoginResult> {
    return this.unitOfWork.asSystem(async (tx) => {
      const session = await this.sessions.lock(tx, caller.sessionId);
      const account = session && (await this.accounts.ofSession(tx, session));
      if (!session || session.revokedAt || !account) throw invalidToken();
      const chosen = membershipIn(account.memberships, tenantId);
      const known = session.loginFingerprint === fingerprint(account.memberships);
      const selecting = joined(account, chosen);
      if (known) session.loginFingerprint = fingerprint(selecting.memberships);
      session.activeTenant = chosen.tenantId;
      await this.sessions.selectTenant(tx, session);
      await this.sessions.acceptMembership(tx, session, chosen.tenantId);
      const by = { kind: 'user', id: account.user.id } as const;
      await this.audit.record(tx, chosen.tenantId, by, { action: 'tenant.selected', subject: account.user.id });
      return this.tokens.issue(session, selecting, chosen);
    });
  }
}
