import { Injectable, Logger } from '@nestjs/common';
import { type Mail, Mailer } from './mailer.client.js';
import { MailsQueries } from './mails.queries.js';

/**
 * Sends a mail that somebody else than its reader asked for: an invitation, a link for a password. A mailbox gets a few of them a day over all
 * tenants; further ones are not sent, and who asked is not told, because it would tell what others have sent.
 */
@Injectable()
export class SendMail {
  private readonly log = new Logger('Identity');

  constructor(
    private readonly mailer: Mailer,
    private readonly mails: MailsQueries,
  ) {}

  /** @returns false when the mailbox has had the most of a day @throws Error when the transport fails: that mail does not count */
  async send(mail: Mail): Promise<boolean> {
    const counted = await this.mails.count(mail.to);
    if (counted === null) {
      this.log.warn(`"${mail.subject}" was not sent: its mailbox has had the most mails of a day (MAILS_PER_DAY)`);
      return false;
    }
    try {
      await this.mailer.send(mail);
      return true;
    } catch (error) {
      await this.mails.release(counted);
      throw error;
    }
  }
}
