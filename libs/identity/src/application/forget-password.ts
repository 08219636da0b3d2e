import { randomBytes } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import { RESET_MS, resetMail, resetTokenHash } from '../domain/password-reset.js';
import { normaliseEmail } from '../domain/user.js';
import { Accounts, Mailer, PasswordResets } from '../ports.js';
import { IdentitySettings } from '../settings.js';

/** Mails wait for their transport; a flood of them is dropped, as the asker is told the same either way. */
const MOST_AT_ONCE = 64;

/**
 * Sends a one-time link to whoever forgot their password. The answer goes out before anybody is looked up: neither it nor
 * its time tells who is known.
 */
@Injectable()
export class ForgetPassword implements OnModuleDestroy {
  private readonly log = new Logger('Identity');
  private readonly running = new Set<Promise<unknown>>();

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
    if (this.running.size >= MOST_AT_ONCE) {
      this.log.warn('a link for a forgotten password was dropped: too many at once');
      return;
    }
    const work = this.send(normaliseEmail(email))
      .catch((error: unknown) => this.log.warn(`a link was not sent: ${error instanceof Error ? error.message : 'unknown'}`))
      .finally(() => this.running.delete(work));
    this.running.add(work);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.running);
  }

  private async send(email: string): Promise<void> {
    const token = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    const link = { tokenHash: resetTokenHash(token), createdAt: now, expiresAt: new Date(now.getTime() + RESET_MS) };
    const to = await this.unitOfWork.asSystem(async (tx) => {
      const account = await this.accounts.byEmail(tx, email);
      if (!account || !(await this.resets.issue(tx, { ...link, userId: account.user.id }))) return null;
      const { user, memberships } = account;
      // Whoever asks has only named an address.
      const somebody = { kind: 'user', id: null } as const;
      for (const { tenantId } of memberships)
        await this.audit.record(tx, tenantId, somebody, { action: 'password.link_sent', subject: user.id });
      return user.email;
    });
    if (to) await this.mailer.send(resetMail(to, token, this.settings.mail.resetUrl));
  }
}
