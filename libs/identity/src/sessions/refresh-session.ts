import { Injectable } from '@nestjs/common';
import type { DomainError } from '#kernel';
import type { SystemTx } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { type Revoke, RevocationsQueries } from '../access/revocations.queries.js';
import { type Account, chooseMembership } from '../accounts/account.js';
import { AccountsQueries } from '../accounts/accounts.queries.js';
import { AuditLog } from '../contract.js';
import { invalidRefreshToken, noMembership, refreshTokenReused } from '../errors.js';
import { IssueTokens, type LoginResult } from './issue-tokens.js';
import type { Session } from './session.js';
import { SessionsQueries } from './sessions.queries.js';

/** A refusal whose writes must be committed is returned from the transaction instead of thrown in it. */
type Outcome = { readonly result: LoginResult } | { readonly refused: DomainError };

/** `POST /api/v2/auth/refresh` (docs/spec/reliability.md#identity-and-access). */
@Injectable()
export class RefreshSession {
  constructor(
    private readonly accounts: AccountsQueries,
    private readonly sessions: SessionsQueries,
    private readonly tokens: IssueTokens,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 401 `invalid_refresh_token`, `refresh_token_reused` (this ends the session), 403 `no_membership` */
  async refresh(token: string): Promise<LoginResult> {
    const presented = this.tokens.readRefreshToken(token);
    if (!presented) throw invalidRefreshToken();
    const outcome = await this.revocations.asSystem((tx, revoke) => this.present(tx, revoke, presented));
    if ('result' in outcome) return outcome.result;
    throw outcome.refused;
  }

  private async present(tx: SystemTx, revoke: Revoke, { sessionId, counter }: { sessionId: string; counter: number }): Promise<Outcome> {
    const session = await this.sessions.lock(tx, sessionId);
    const account = session && (await this.accounts.ofSession(tx, session));
    if (!account) return { refused: invalidRefreshToken() };
    switch (this.tokens.present(session, counter)) {
      case 'over':
        return { refused: invalidRefreshToken() };
      case 'reused':
        await this.endReused(tx, revoke, session);
        return { refused: refreshTokenReused() };
      case 'rotate':
        await this.sessions.save(tx, session);
        break;
      case 'same':
    }
    return this.issue(session, account);
  }

  private async endReused(tx: SystemTx, revoke: Revoke, { id, activeTenant, userId }: Session): Promise<void> {
    await this.sessions.end(tx, id);
    await revoke(subjectOf.session(id));
    if (activeTenant === null) return;
    const entry = { action: 'session.revoked', subject: userId, details: { reason: 'refresh_token_reused' } } as const;
    await this.audit.record(tx, activeTenant, { kind: 'user', id: userId }, entry);
  }

  /** For the session's tenant; if that membership has ended, as for a login without a tenant. */
  private issue(session: Session, account: Account): Outcome {
    const remembered = account.memberships.find(({ tenantId }) => tenantId === session.activeTenant);
    if (!remembered && account.memberships.length === 0 && !account.user.platformAdmin) return { refused: noMembership() };
    return { result: this.tokens.issue(session, account, remembered ?? chooseMembership(account, null)) };
  }
}
