import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock, newId } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import { invalidCredentials } from '../domain/errors.js';
import { type Account, chooseMembership, fingerprint } from '../domain/identity-payload.js';
import { Session } from '../domain/session.js';
import { MAX_PASSWORD_BYTES, User, normaliseEmail } from '../domain/user.js';
import { Accounts, PasswordHasher } from '../ports.js';
import { IssueTokens, type LoginResult } from './issue-tokens.js';
import { Underway } from './underway.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Slug or UUID. */
  readonly tenantId?: string | null;
}

/** Specification §5.1, step 1. */
@Injectable()
export class LogIn implements OnModuleDestroy {
  private readonly notes = new Underway();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: Accounts,
    private readonly passwords: PasswordHasher,
    private readonly tokens: IssueTokens,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * @param ip where it comes from, for the audit log
   * @throws DomainError 401 `invalid_credentials`, after the same time for an unknown user as for a wrong password; then
   * 403 `not_a_member` or `no_membership`
   */
  async logIn(credentials: Credentials, ip: string): Promise<LoginResult> {
    const { email, password, tenantId = null } = credentials;
    if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) throw invalidCredentials();
    // The hash is checked outside of any transaction: it takes long, and connections are few.
    const account = await this.unitOfWork.asSystem((tx) => this.accounts.byEmail(tx, normaliseEmail(email)));
    const correct = await this.passwords.verify(password, account?.user.passwordHash ?? null);
    if (account && !correct) this.noteFailure(account, ip);
    if (!account || !correct) throw invalidCredentials();
    const active = chooseMembership(account, tenantId);
    const upgraded = await this.upgradedHash(account, password);
    const session = Session.open(account.user.id, active?.tenantId ?? null, fingerprint(account.memberships), newId(), this.clock.now());
    const opened = await this.unitOfWork.asSystem(async (tx) => {
      if (!(await stands(tx, account.user))) return false;
      await tx.repository(Session).insert(session);
      const by = { kind: 'user', id: account.user.id } as const;
      if (active)
        await this.audit.record(tx, active.tenantId, by, { action: 'login.succeeded', subject: account.user.id, details: { ip } });
      if (upgraded) await tx.repository(User).update({ id: account.user.id }, { passwordHash: upgraded });
      return true;
    });
    // Changed, renewed or shut out while it was checked: looked at again.
    return opened ? this.tokens.issue(session, account, active) : this.logIn(credentials, ip);
  }

  /** What is still being noted goes into the log before its database is closed. */
  onModuleDestroy(): Promise<void> {
    return this.notes.settled();
  }

  /**
   * Every tenant of the user may know: who guesses has not chosen one. Beside the answer, not before it: an unknown user
   * has nothing to note, and the difference would tell who is known.
   */
  private noteFailure({ user, memberships }: Account, ip: string): void {
    const note = this.unitOfWork.asSystem(async (tx) => {
      for (const { tenantId } of memberships)
        await this.audit.record(tx, tenantId, { kind: 'user', id: user.id }, { action: 'login.failed', subject: user.id, details: { ip } });
    });
    this.notes.start(note, 'a failed login could not be noted');
  }

  private async upgradedHash({ user }: Account, password: string): Promise<string | null> {
    return user.passwordHash !== null && this.passwords.isOutdated(user.passwordHash) ? this.passwords.hash(password) : null;
  }
}

/** Whether the hash that was checked is still the user's. The row stays locked, so that a change of it ends this session too. */
async function stands(tx: SystemTx, { id, passwordHash }: User): Promise<boolean> {
  const [row] = await tx.sql<{ password_hash: string | null }>(
    'select password_hash from identity.app_user where id = $1 and disabled_at is null for no key update',
    [id],
  );
  return row?.password_hash === passwordHash;
}
