import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import { invalidResetToken, invalidToken, wrongPassword } from '../domain/errors.js';
import type { Account } from '../domain/identity-payload.js';
import { passwordChangedMail, resetTokenHash } from '../domain/password-reset.js';
import { subjectOf } from '../domain/revocation.js';
import { MAX_PASSWORD_BYTES, User, checkNewPassword } from '../domain/user.js';
import { Accounts, Mailer, PasswordHasher, PasswordResets, Revocations } from '../ports.js';
import { Underway } from './underway.js';

/** A new password by the old one, or by a one-time link. All other sessions of the user end with it. */
@Injectable()
export class ChangePassword implements OnModuleDestroy {
  private readonly mails = new Underway();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: Accounts,
    private readonly passwords: PasswordHasher,
    private readonly resets: PasswordResets,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422 for the new one, 401 `wrong_password` for the old one (a user without one asks for a link) */
  async change(caller: { readonly userId: string; readonly sessionId: string }, current: string, next: string): Promise<void> {
    checkNewPassword(next);
    const account = await this.unitOfWork.asSystem((tx) => this.accounts.byId(tx, caller.userId));
    if (!account) throw invalidToken();
    const { id, passwordHash } = account.user;
    if (Buffer.byteLength(current) > MAX_PASSWORD_BYTES || !(await this.passwords.verify(current, passwordHash))) throw wrongPassword();
    const hash = await this.passwords.hash(next);
    await this.unitOfWork.asSystem(async (tx) => {
      // Only over the one that was checked: of two changes at once, one is refused.
      const { affected } = await tx.repository(User).update({ id, passwordHash: passwordHash! }, { passwordHash: hash });
      if (!affected) throw wrongPassword();
      await this.settle(tx, account, 'password', caller.sessionId);
    });
    this.announce(account);
  }

  /** @throws DomainError 404 `invalid_reset_token`, 422 */
  async reset(token: string, next: string): Promise<void> {
    checkNewPassword(next);
    // Before the transaction, because it takes long; a bad token costs a hash too, of which only so many run at once.
    const hash = await this.passwords.hash(next);
    const account = await this.unitOfWork.asSystem(async (tx) => {
      const userId = await this.resets.take(tx, resetTokenHash(token), this.clock.now());
      if (!userId || !(await this.accounts.byId(tx, userId))) return null;
      // The link came by mail or from the operator: whoever uses it is who reads the mailbox, or is vouched for.
      await tx.repository(User).update({ id: userId }, { passwordHash: hash, passwordFrom: null });
      const owner = (await this.accounts.byId(tx, userId))!;
      await this.settle(tx, owner, 'link', null);
      return owner;
    });
    if (!account) throw invalidResetToken();
    this.announce(account);
  }

  /** Ends the other sessions and links, and tells every tenant of the user. @param kept the session that goes on */
  private async settle(tx: SystemTx, { user, memberships }: Account, by: 'password' | 'link', kept: string | null): Promise<void> {
    await tx.sql('update identity.session set revoked_at = $2 where user_id = $1 and revoked_at is null and id is distinct from $3::uuid', [
      user.id,
      this.clock.now(),
      kept,
    ]);
    await this.resets.forget(tx, user.id);
    await this.revocations.record(tx, [subjectOf.user(user.id)]);
    for (const { tenantId } of memberships)
      await this.audit.record(
        tx,
        tenantId,
        { kind: 'user', id: user.id },
        { action: 'password.changed', subject: user.id, details: { by } },
      );
  }

  /** The change stands, whether or not the mail about it can be sent. */
  private announce({ user }: Account): void {
    this.revocations.forget([subjectOf.user(user.id)]);
    this.mails.start(this.mailer.send(passwordChangedMail(user.email)), 'the mail about a changed password was not sent');
  }

  onModuleDestroy(): Promise<void> {
    return this.mails.settled();
  }
}
