import { randomUUID } from 'node:crypto';
import { Clock } from '#kernel';
import type { Mail } from '../../domain/password-reset.js';
import { Mailer } from '../../ports.js';
import { SmtpSession } from './smtp-session.js';

/** Mail by an SMTP server; each on a connection of its own, as there are few. */
export class SmtpMailer extends Mailer {
  private readonly url: URL;

  /**
   * @param from bare address
   * @param authorities PEM; without it those of Node, which NODE_EXTRA_CA_CERTS adds to
   */
  constructor(
    url: string,
    private readonly from: string,
    private readonly clock: Clock,
    private readonly authorities?: string,
  ) {
    super();
    this.url = new URL(url);
  }

  override async send(mail: Mail): Promise<void> {
    // Brackets end an address on the wire, and what has none of these can start no command of its own.
    if (/[<>\s\p{Cc}]/u.test(mail.to)) throw new Error('no mail can be sent to this address');
    await SmtpSession.with({ url: this.url, authorities: this.authorities }, async (session) => {
      const international = /[^\p{ASCII}]/u.test(mail.to);
      if (international && !session.offersExtension('SMTPUTF8')) throw new Error('the mail server takes ASCII addresses only');
      await session.say(`MAIL FROM:<${this.from}>${international ? ' SMTPUTF8' : ''}`, 250);
      await session.say(`RCPT TO:<${mail.to}>`, 250);
      await session.say('DATA', 354);
      await session.say(`${this.written(mail)}\r\n.`, 250, 'the mail');
    });
  }

  /** RFC 5322. The text is base64: no line of it begins with a dot or is too long. */
  private written({ to, subject, text }: Mail): string {
    return [
      `From: <${this.from}>`,
      `To: <${to}>`,
      `Subject: ${subject}`,
      `Date: ${this.clock.now().toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: <${randomUUID()}@${this.from.split('@')[1]}>`,
      'Auto-Submitted: auto-generated',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      ...Buffer.from(text)
        .toString('base64')
        .match(/.{1,76}/g)!,
    ].join('\r\n');
  }
}
