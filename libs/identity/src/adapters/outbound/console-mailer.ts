import { Injectable, Logger } from '@nestjs/common';
import type { Mail } from '../../domain/password-reset.js';
import { Mailer } from '../../ports.js';
import { IdentitySettings } from '../../settings.js';

/**
 * Mail for whoever runs the service on their own machine: it appears in the log. Not in production, where a log is read by
 * more people than a mailbox: there the text, which may hold a one-time link, is kept out of it and an error says so.
 */
@Injectable()
export class ConsoleMailer extends Mailer {
  private readonly log = new Logger('Mail');

  constructor(private readonly settings: IdentitySettings) {
    super();
  }

  override send({ to, subject, text }: Mail): Promise<void> {
    // A warning, because `npm start` shows nothing below.
    if (this.settings.mail.print) this.log.warn(`To: ${to}\nSubject: ${subject}\n\n${text}`);
    else this.log.error(`No mail transport is configured: "${subject}" was not sent.`);
    return Promise.resolve();
  }
}
