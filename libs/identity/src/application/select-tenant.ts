import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import { invalidToken } from '../domain/errors.js';
import { membershipIn } from '../domain/identity-payload.js';
import { Session } from '../domain/session.js';
import { Accounts } from '../ports.js';
import { IssueTokens, type LoginResult } from './issue-tokens.js';

/** Select and switch alike: the session is for that tenant from now on, and its refresh token stays good. */
@Injectable()
export class SelectTenant {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: Accounts,
    private readonly tokens: IssueTokens,
    private readonly audit: AuditLog,
  ) {}

  /** @param tenantId slug or UUID @throws DomainError 403 `not_a_member` */
  select(caller: { readonly userId: string; readonly sessionId: string }, tenantId: string): Promise<LoginResult> {
    return this.unitOfWork.asSystem(async (tx) => {
      const sessions = tx.repository(Session);
      const session = await sessions.findOne({ where: { id: caller.sessionId }, lock: { mode: 'pessimistic_write' } });
      const account = session && (await this.accounts.ofSession(tx, session));
      if (!session || session.revokedAt || !account) throw invalidToken();
      const chosen = membershipIn(account.memberships, tenantId);
      await sessions.update({ id: session.id }, { activeTenant: chosen.tenantId });
      const by = { kind: 'user', id: account.user.id } as const;
      await this.audit.record(tx, chosen.tenantId, by, { action: 'tenant.selected', subject: account.user.id });
      return this.tokens.issue(session, account, chosen);
    });
  }
}
