import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type SystemTx, UnitOfWork } from '#persistence';
import { type Account, acceptedOf, MAX_PASSWORD_BYTES, normaliseEmail } from '../accounts/account.js';
import { AccountsQueries } from '../accounts/accounts.queries.js';
import { PasswordHasher } from '../accounts/passwords.client.js';
import { BackgroundWork } from '../accounts/run-in-background.js';
import { AuditLog } from '../contract.js';
import { invalidCredentials } from '../errors.js';
import type { Origin } from '../access/device.js';
import type { LoginResult } from '../sessions/issue-tokens.js';
import { OpenSession } from '../sessions/open-session.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Slug or UUID. */
  readonly tenantId?: string | null;
}

/** Login by password (docs/spec/service.md#jwt-bearer). */
@Injectable()
export class LogIn implements OnModuleDestroy {
  private readonly records = new BackgroundWork();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsQueries,
    private readonly passwords: PasswordHasher,
    private readonly sessions: OpenSession,
    private readonly audit: AuditLog,
  ) {}

  /**
   * @param from the caller's address, for the audit log, and device
   * @throws DomainError 401 `invalid_credentials`, after the same time for an unknown user as for a wrong password; then
   * 403 `not_a_member` or `no_membership`
   */
  async logIn(credentials: Credentials, from: Origin): Promise<LoginResult> {
    const { email, password, tenantId = null } = credentials;
    if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) throw invalidCredentials();
    // The hash is checked outside of any transaction: it takes long, and database connections are few.
    const account = await this.unitOfWork.readAsSystem((tx) => this.accounts.byEmail(tx, normaliseEmail(email)));
    const correct = await this.passwords.verify(password, account?.user.passwordHash ?? null);
    if (account && !correct) this.recordFailure(account, from.ip);
    if (!account || !correct) throw invalidCredentials();
    const confirm = await this.confirmation(account, password);
    // When the password was changed or the user was disabled during the check, everything is checked again.
    return (await this.sessions.open(account, { tenantId, from, wallet: null, confirm })) ?? this.logIn(credentials, from);
  }

  /** Failed logins are recorded before the database is closed. */
  onModuleDestroy(): Promise<void> {
    return this.records.settled();
  }

  /** Confirms that the checked hash is still current, and replaces it when its parameters are outdated. */
  private async confirmation({ user }: Account, password: string): Promise<(tx: SystemTx) => Promise<boolean>> {
    const { id, passwordHash } = user;
    const upgraded = passwordHash !== null && this.passwords.isOutdated(passwordHash) ? await this.passwords.hash(password) : null;
    return async (tx) => {
      if (!(await this.accounts.lockPassword(tx, user))) return false;
      if (upgraded !== null) await this.accounts.replacePassword(tx, id, passwordHash!, upgraded);
      return true;
    };
  }

  /**
   * In the audit log of every tenant that the user has signed in to, because a failed login has not chosen one. The answer does not wait for it: for an
   * unknown user there is nothing to record, and the difference in time would tell which users exist.
   */
  private recordFailure({ user, memberships }: Account, ip: string): void {
    const entry = { action: 'login.failed', subject: user.id, details: { ip } } as const;
    const recorded = this.unitOfWork.asSystem(async (tx) => {
      for (const { tenantId } of acceptedOf(memberships)) await this.audit.record(tx, tenantId, { kind: 'user', id: user.id }, entry);
    });
    this.records.start(recorded, 'a failed login was not recorded');
  }
}
