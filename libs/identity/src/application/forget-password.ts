import { randomBytes } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import type { AuditActor } from '../domain/audit.js';
import { RESET_MS, resetMail, resetTokenHash } from '../domain/password-reset.js';
import { normaliseEmail } from '../domain/user.js';
import { Accounts, Mailer, PasswordResets } from '../ports.js';
import { IdentitySettings } from '../settings.js';
import { Underway } from './underway.js';

/** Mails wait for their transport; a flood of them is dropped, as the asker is told the same either way. */
const MOST_AT_ONCE = 64;

export interface OneTimeLink {
  readonly to: string;
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Sends a one-time link to whoever forgot their password. The answer goes out before anybody is looked up: neither it nor
 * its time tells who is known.
 */
@Injectable()
export class ForgetPassword implements OnModuleDestroy {
  private readonly log = new Logger('Identity');
  private readonly mails = new Underway();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: Accounts,
    private readonly resets: PasswordResets,
    private readonly audit: AuditLog,
    private readonly mailer: Mailer,
    private readonly settings: IdentitySettings,
    private readonly clock: Clock,
  ) {}

  ask(email: string): void {
    if (this.mails.size >= MOST_AT_ONCE) {
      this.log.warn('a link for a forgotten password was dropped: too many at once');
      return;
    }
    this.mails.start(this.send(email), 'a link was not sent');
  }

  onModuleDestroy(): Promise<void> {
    return this.mails.settled();
  }

  /**
   * For whoever runs the service to hand over, where no mail arrives.
   * @returns null for an e-mail that nobody has, or whose owner has as many unused links as is good
   */
  async link(email: string, by: AuditActor): Promise<OneTimeLink | null> {
    const now = this.clock.now();
    const token = randomBytes(32).toString('base64url');
    const link = { tokenHash: resetTokenHash(token), createdAt: now, expiresAt: new Date(now.getTime() + RESET_MS) };
    return this.unitOfWork.asSystem(async (tx) => {
      const account = await this.accounts.byEmail(tx, normaliseEmail(email));
      if (!account || !(await this.resets.issue(tx, { ...link, userId: account.user.id }))) return null;
      const { user, memberships } = account;
      for (const { tenantId } of memberships)
        await this.audit.record(tx, tenantId, by, { action: 'password.link_requested', subject: user.id });
      return { to: user.email, token, expiresAt: link.expiresAt };
    });
  }

  private async send(email: string): Promise<void> {
    // Whoever asks has only named an address.
    const link = await this.link(email, { kind: 'user', id: null });
    if (!link) return;
    try {
      await this.mailer.send(resetMail(link.to, link.token, this.settings.mail.resetUrl));
    } catch (error) {
      // One that never arrived must not count against the next.
      await this.unitOfWork.asSystem((tx) => this.resets.take(tx, resetTokenHash(link.token), this.clock.now()));
      throw error;
    }
  }
}
