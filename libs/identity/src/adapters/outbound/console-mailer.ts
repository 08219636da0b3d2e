import { Injectable, Logger } from '@nestjs/common';
import type { Mail } from '../../domain/password-reset.js';
import { Mailer } from '../../ports.js';

/** Mail for whoever runs the service on their own machine: it appears in the log. Never in production (`UnsentMailer`). */
@Injectable()
export class ConsoleMailer extends Mailer {
  private readonly log = new Logger('Mail');

  override send({ to, subject, text }: Mail): Promise<void> {
    // A warning, because `npm start` shows nothing below.
    this.log.warn(`To: ${to}\nSubject: ${subject}\n\n${text}`);
    return Promise.resolve();
  }
}

/** Production without SMTP_URL. A log is read by more people than a mailbox: the text, which may hold a one-time link, is kept out of it. */
@Injectable()
export class UnsentMailer extends Mailer {
  override send({ subject }: Mail): Promise<void> {
    return Promise.reject(new Error(`no mail transport is configured (SMTP_URL), so "${subject}" stays here`));
  }
}
