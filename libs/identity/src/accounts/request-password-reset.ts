import { createHash, randomBytes } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Language } from '#kernel';
import { UnitOfWork } from '#persistence';
import { acceptedOf, normaliseEmail } from './account.js';
import { AccountsQueries } from './accounts.queries.js';
import { BackgroundWork } from './run-in-background.js';
import type { AuditActor } from '../audit/audit.js';
import { AuditLog } from '../contract.js';
import { IdentitySettings } from '../identity.settings.js';
import { resetMail } from '../mail/password-mails.js';
import { SendMail } from '../mail/send-mail.js';

/** Mails wait for their transport. Requests beyond this number are dropped; the answer is the same either way. */
const MOST_AT_ONCE = 64;

interface OneTimeLink {
  readonly to: string;
  readonly token: string;
  readonly expiresAt: Date;
  readonly language: Language | null;
}

/** Sends a one-time link for a forgotten password. The answer goes out before the user is looked up, so neither it nor its time tells which users exist. */
@Injectable()
export class RequestPasswordReset implements OnModuleDestroy {
  private readonly log = new Logger('Identity');
  private readonly mails = new BackgroundWork();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsQueries,
    private readonly audit: AuditLog,
    private readonly sendMail: SendMail,
    private readonly settings: IdentitySettings,
  ) {}

  /** @param language of the request, for who has chosen none */
  request(email: string, language: Language = 'en'): void {
    if (this.mails.size >= MOST_AT_ONCE) {
      this.log.warn('a link for a forgotten password was dropped: too many at once');
      return;
    }
    this.mails.start(this.send(email, language), 'a link was not sent');
  }

  onModuleDestroy(): Promise<void> {
    return this.mails.settled();
  }

  /**
   * For the operator to hand over when mail does not arrive.
   * @returns null for an unknown e-mail address, or a user with the most unused links allowed
   */
  async link(email: string, by: AuditActor): Promise<OneTimeLink | null> {
    const token = randomBytes(32).toString('base64url');
    return this.unitOfWork.asSystem(async (tx) => {
      const account = await this.accounts.byEmail(tx, normaliseEmail(email));
      const expiresAt = account && (await this.accounts.issueResetLink(tx, account.user.id, resetTokenHash(token)));
      if (!account || !expiresAt) return null;
      const { user, memberships } = account;
      for (const { tenantId } of acceptedOf(memberships))
        await this.audit.record(tx, tenantId, by, { action: 'password.link_requested', subject: user.id });
      return { to: user.email, token, expiresAt, language: user.language };
    });
  }

  /** The page of the portal, unless the operator has one of their own. */
  private resetUrl(): string | null {
    const { mail, portalOrigin } = this.settings;
    return mail.resetUrl ?? (portalOrigin === null ? null : `${portalOrigin}/portal/password#{token}`);
  }

  private async send(email: string, language: Language): Promise<void> {
    // The caller is not identified: they only named an address.
    const link = await this.link(email, { kind: 'user', id: null });
    if (!link) return;
    let sent = false;
    try {
      sent = await this.sendMail.send(resetMail(link.to, link.token, this.resetUrl(), link.language ?? language));
    } finally {
      // A link that was never sent must not count against the limit.
      if (!sent) await this.unitOfWork.asSystem((tx) => this.accounts.takeResetLink(tx, resetTokenHash(link.token)));
    }
  }
}

/** Only this digest of a one-time token is stored. The token has 256 random bits, so a plain digest is enough. */
export const resetTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();
