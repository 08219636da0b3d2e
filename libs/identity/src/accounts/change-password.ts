import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Language } from '#kernel';
import type { SystemTx } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { type Revoke, RevocationsQueries } from '../access/revocations.queries.js';
import { AuditLog } from '../contract.js';
import { invalidResetToken, invalidToken, wrongPassword } from '../errors.js';
import { Mailer } from '../mail/mailer.client.js';
import { passwordChangedMail } from '../mail/password-mails.js';
import { type Account, acceptedOf, checkNewPassword, MAX_PASSWORD_BYTES } from './account.js';
import { AccountsQueries } from './accounts.queries.js';
import { resetTokenHash } from './request-password-reset.js';
import { PasswordHasher } from './passwords.client.js';
import { BackgroundWork } from './run-in-background.js';

/** A new password, by the current one or by a one-time link. It ends all other sessions of the user. */
@Injectable()
export class ChangePassword implements OnModuleDestroy {
  private readonly mails = new BackgroundWork();

  constructor(
    private readonly accounts: AccountsQueries,
    private readonly passwords: PasswordHasher,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
    private readonly mailer: Mailer,
  ) {}

  /** @throws DomainError 422 for the new password, 401 `wrong_password` for the current one (a user without one needs a link) */
  async change(
    caller: { readonly userId: string; readonly sessionId: string },
    current: string,
    next: string,
    language: Language = 'en',
  ): Promise<void> {
    checkNewPassword(next);
    const account = await this.revocations.asSystem((tx) => this.accounts.byId(tx, caller.userId));
    if (!account) throw invalidToken();
    const { id, passwordHash } = account.user;
    if (Buffer.byteLength(current) > MAX_PASSWORD_BYTES || !(await this.passwords.verify(current, passwordHash))) throw wrongPassword();
    const hash = await this.passwords.hash(next);
    await this.revocations.asSystem(async (tx, revoke) => {
      if (!(await this.accounts.replacePassword(tx, id, passwordHash!, hash))) throw wrongPassword();
      await this.endOthers(tx, revoke, account, { by: 'password', except: caller.sessionId });
    });
    this.notify(account, language);
  }

  /** @throws DomainError 404 `invalid_reset_token`, 422 */
  async reset(token: string, next: string, language: Language = 'en'): Promise<void> {
    checkNewPassword(next);
    // Before the transaction, because it takes long. A bad token costs a hash too, and only a few hashes run at once.
    const hash = await this.passwords.hash(next);
    const account = await this.revocations.asSystem(async (tx, revoke) => {
      const userId = await this.accounts.takeResetLink(tx, resetTokenHash(token));
      if (!userId || !(await this.accounts.byId(tx, userId))) return null;
      // The link came by mail or from the operator, so its user reads the mailbox or is known to the operator.
      await this.accounts.resetPassword(tx, userId, hash);
      const owner = (await this.accounts.byId(tx, userId))!;
      await this.endOthers(tx, revoke, owner, { by: 'link', except: null });
      return owner;
    });
    if (!account) throw invalidResetToken();
    this.notify(account, language);
  }

  onModuleDestroy(): Promise<void> {
    return this.mails.settled();
  }

  /** Ends the other sessions and links, and records it in the audit log of every tenant that the user has signed in to. */
  private async endOthers(
    tx: SystemTx,
    revoke: Revoke,
    { user, memberships }: Account,
    { by, except }: { readonly by: 'password' | 'link'; readonly except: string | null },
  ): Promise<void> {
    await this.accounts.endSessions(tx, user.id, except);
    await this.accounts.deleteResetLinks(tx, user.id);
    await revoke(subjectOf.user(user.id));
    const entry = { action: 'password.changed', subject: user.id, details: { by } } as const;
    for (const { tenantId } of acceptedOf(memberships)) await this.audit.record(tx, tenantId, { kind: 'user', id: user.id }, entry);
  }

  /** The change is valid whether or not the mail about it can be sent. @param asked for who has chosen no language */
  private notify({ user }: Account, asked: Language): void {
    this.mails.start(
      this.mailer.send(passwordChangedMail(user.email, user.language ?? asked)),
      'the mail about a changed password was not sent',
    );
  }
}
