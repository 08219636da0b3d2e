import { isIP } from 'node:net';
import { Logger } from '@nestjs/common';
import type { NodemailerError, SMTPTransportOptions } from 'nodemailer';
import type { Clock } from '#kernel';
import type { IdentitySettings } from '../identity.settings.js';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Of its Message-ID; otherwise a new one. */
  readonly id?: string;
  readonly unsubscribeUrl?: string;
}

/** The server takes no mail to this address, now or later. */
export class AddressRefused extends Error {}

export abstract class Mailer {
  /** Hands one mail to the transport, once: there is no retry. @throws Error when the transport fails */
  abstract send(mail: Mail): Promise<void>;
}

/** For one mail, from the connection to the last reply. */
const TIMEOUT_MS = 10_000;
const MAX_REPLY_BYTES = 64 * 1024;

/** Sends mail through an SMTP server. Each mail has its own connection, because there are few. */
export class SmtpMailer extends Mailer {
  private readonly options: SMTPTransportOptions;

  /**
   * @param url smtp: (STARTTLS; plain text on loopback only) or smtps:, with user and password where the server wants them
   * @param from bare address
   * @param authorities PEM; without it the authorities of Node, to which NODE_EXTRA_CA_CERTS adds
   */
  constructor(
    url: string,
    private readonly from: string,
    private readonly clock: Clock,
    authorities?: string,
  ) {
    super();
    this.options = optionsOf(new URL(url), authorities);
  }

  override async send({ to, subject, text, id, unsubscribeUrl }: Mail): Promise<void> {
    // Brackets end an address in the SMTP dialogue. Without these characters it cannot start a command of its own.
    if (/[<>\s\p{Cc}]/u.test(to)) throw new AddressRefused('no mail can be sent to this address');
    const { createTransport } = await import('nodemailer');
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      await createTransport(this.options).sendMail({
        from: { name: '', address: this.from },
        to: { name: '', address: to },
        subject,
        text,
        textEncoding: 'base64',
        date: this.clock.now(),
        ...(id !== undefined && { messageId: `<${id}@${this.from.split('@').at(-1)!}>` }),
        headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(unsubscribeUrl) },
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: timeout,
      });
    } catch (error) {
      throw timeout.aborted ? new Error('the mail server is too slow') : withoutSecrets(error as NodemailerError);
    }
  }
}

const unsubscribeHeaders = (url: string | undefined): Record<string, string> =>
  url === undefined ? {} : { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

/** Connects, and logs in where a user is given; sends nothing. @throws Error in a sentence without secrets */
export async function checkMailServer(url: string): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(optionsOf(new URL(url), undefined));
  try {
    await transport.verify();
  } catch (error) {
    throw withoutSecrets(error as NodemailerError);
  } finally {
    transport.close();
  }
}

function optionsOf(url: URL, authorities: string | undefined): SMTPTransportOptions {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const secure = url.protocol === 'smtps:';
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !isLoopback(host),
    ...(url.username !== '' && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
      // A server that offers no login must refuse the mail; it must not be sent without one.
      forceAuth: true,
    }),
    tls: { ...(isIP(host) === 0 && { servername: host }), ...(authorities !== undefined && { ca: authorities }) },
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    maxResponseSize: MAX_REPLY_BYTES,
  };
}

/** Names the SMTP command and the code of the server's reply, but not its text: it may repeat an address or a password. */
function withoutSecrets({ code, command = 'CONN', responseCode, response, message }: NodemailerError): Error {
  const verb = command.split(' ', 1)[0]!;
  if (code === 'ETLS' && responseCode !== undefined) return new Error('the mail server offers no encryption');
  if (responseCode !== undefined) {
    const Refusal = verb === 'RCPT' && responseCode >= 550 && responseCode < 554 ? AddressRefused : Error;
    return new Refusal(`the mail server answered ${responseCode} to ${verb}`);
  }
  if (response) return new Error(`the mail server sent an invalid reply to ${verb}`);
  if (code === 'ECONNECTION') return new Error('the mail server closed the connection');
  return new Error(`mail could not be sent: ${message}`);
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);

/** For development: mail appears in the log. Never in production (`UnsentMailer`). */
class ConsoleMailer extends Mailer {
  private readonly log = new Logger('Mail');

  override send({ to, subject, text }: Mail): Promise<void> {
    // A warning, because `npm start` shows no lower level.
    this.log.warn(`To: ${to}\nSubject: ${subject}\n\n${text}`);
    return Promise.resolve();
  }
}

/** Production without SMTP_URL. More people read a log than a mailbox, so the text, which may hold a one-time link, is not logged. */
class UnsentMailer extends Mailer {
  override send({ subject }: Mail): Promise<void> {
    return Promise.reject(new Error(`no mail transport is configured (SMTP_URL), so "${subject}" was not sent`));
  }
}

export function mailerFor({ mail: { transport } }: IdentitySettings, clock: Clock): Mailer {
  if (transport.kind === 'smtp') return new SmtpMailer(transport.url, transport.from, clock);
  return transport.kind === 'console' ? new ConsoleMailer() : new UnsentMailer();
}
