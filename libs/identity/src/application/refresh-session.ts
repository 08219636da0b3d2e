import { Injectable } from '@nestjs/common';
import { Clock, type DomainError } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import { invalidRefreshToken, noMembership, refreshTokenReused } from '../domain/errors.js';
import { type Account, chooseMembership } from '../domain/identity-payload.js';
import { subjectOf } from '../domain/revocation.js';
import { Session } from '../domain/session.js';
import { Accounts, RefreshTokens, Revocations } from '../ports.js';
import { IdentitySettings } from '../settings.js';
import { IssueTokens, type LoginResult } from './issue-tokens.js';

/** A refusal that has to outlive its own 401 is handed out of the transaction instead of thrown in it. */
type Outcome = { readonly result: LoginResult } | { readonly refused: DomainError; readonly revoked?: true };

/** `POST /api/v2/auth/refresh` (reliability-decisions §3.2). */
@Injectable()
export class RefreshSession {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: Accounts,
    private readonly refreshTokens: RefreshTokens,
    private readonly tokens: IssueTokens,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
    private readonly settings: IdentitySettings,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 401 `invalid_refresh_token`, `refresh_token_reused` (the session is over then), 403 `no_membership` */
  async refresh(token: string): Promise<LoginResult> {
    const presented = this.refreshTokens.read(token);
    if (!presented) throw invalidRefreshToken();
    const outcome = await this.unitOfWork.asSystem((tx) => this.present(tx, presented));
    if ('result' in outcome) return outcome.result;
    if (outcome.revoked) this.revocations.forget([subjectOf.session(presented.sessionId)]);
    throw outcome.refused;
  }

  private async present(tx: SystemTx, { sessionId, counter }: { sessionId: string; counter: number }): Promise<Outcome> {
    const sessions = tx.repository(Session);
    const session = await sessions.findOne({ where: { id: sessionId }, lock: { mode: 'pessimistic_write' } });
    const account = session && (await this.accounts.ofSession(tx, session));
    if (!account) return { refused: invalidRefreshToken() };
    const now = this.clock.now();
    switch (session.present(counter, now, this.settings.sessions)) {
      case 'over':
        return { refused: invalidRefreshToken() };
      case 'reused':
        await sessions.update({ id: session.id }, { revokedAt: now });
        await this.revocations.record(tx, [subjectOf.session(session.id)]);
        if (session.activeTenant)
          await this.audit.record(
            tx,
            session.activeTenant,
            { kind: 'user', id: session.userId },
            { action: 'session.revoked', subject: session.userId, details: { reason: 'refresh_token_reused' } },
          );
        return { refused: refreshTokenReused(), revoked: true };
      case 'rotate':
        session.rotate(now);
        await sessions.save(session);
        break;
      case 'same':
    }
    return this.issue(session, account);
  }

  /** For the tenant that the session remembers; where that membership is gone, as a login without a tenant. */
  private issue(session: Session, account: Account): Outcome {
    const remembered = account.memberships.find(({ tenantId }) => tenantId === session.activeTenant);
    if (!remembered && account.memberships.length === 0 && !account.user.platformAdmin) return { refused: noMembership() };
    return { result: this.tokens.issue(session, account, remembered ?? chooseMembership(account, null)) };
  }
}
