import { type Socket, connect, isIP } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { Lines } from './lines.js';

/** For one mail, from the connection to the last answer. */
const PATIENCE_MS = 10_000;
const LONGEST_REPLY = 64 * 1024;

export interface MailServer {
  readonly url: URL;
  readonly authorities?: string | undefined;
}

/** A dialogue with one mail server (RFC 5321), encrypted unless the server is this machine (RFC 3207, RFC 8314). */
export class SmtpSession {
  private replies: Lines;
  private offers: readonly string[] = [];

  private constructor(
    private socket: Socket,
    private readonly host: string,
    private readonly trust: ConnectionOptions,
  ) {
    this.replies = new Lines(socket);
  }

  /**
   * Runs `dialogue` after greeting, encryption and login.
   * @param server its url is smtp: (STARTTLS; in the clear on loopback only) or smtps:, with user and password where the server wants them
   * @throws Error that names the step and the server's code, never what was sent
   */
  static async with({ url, authorities }: MailServer, dialogue: (session: SmtpSession) => Promise<void>): Promise<void> {
    const host = url.hostname.replaceAll(/^\[|\]$/g, '');
    const secure = url.protocol === 'smtps:';
    const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port);
    const trust = { ...nameOf(host), ...(authorities !== undefined && { ca: authorities }) };
    const socket = secure ? connectTls({ host, port, ...trust }) : connect({ host, port });
    const session = new SmtpSession(socket, host, trust);
    // A timer for all of it: an idle timeout starts anew with every byte.
    const timer = setTimeout(() => session.socket.destroy(new Error('the mail server is too slow')), PATIENCE_MS);
    try {
      await session.open(secure, url);
      await dialogue(session);
      await session.say('QUIT', 221).catch(() => undefined);
    } finally {
      clearTimeout(timer);
      session.socket.destroy();
    }
  }

  offersExtension(name: string): boolean {
    return this.offers.some((line) => line.split(' ', 1)[0] === name);
  }

  /** @param step what an error may say of the command */
  async say(command: string, expected: number, step = command.split(' ', 1)[0]!): Promise<string[]> {
    this.socket.write(`${command}\r\n`);
    return this.hear(expected, step);
  }

  private async open(secure: boolean, url: URL): Promise<void> {
    await this.hear(220, 'the greeting');
    await this.greet();
    if (!secure && this.offersExtension('STARTTLS')) await this.encrypt();
    else if (!secure && !isLoopback(this.host)) throw new Error('the mail server offers no encryption');
    if (url.username !== '') await this.logIn(decodeURIComponent(url.username), decodeURIComponent(url.password));
  }

  private async greet(): Promise<void> {
    // RFC 5321 §4.1.3: a client without a name of its own gives its address.
    const own = this.socket.localAddress ?? '127.0.0.1';
    const literal = isIP(own) === 6 ? `[IPv6:${own}]` : `[${own}]`;
    this.offers = (await this.say(`EHLO ${literal}`, 250)).slice(1).map((line) => line.toUpperCase());
  }

  private async encrypt(): Promise<void> {
    await this.say('STARTTLS', 220);
    // What came in the clear after this answer was not said by the server that TLS proves (CVE-2011-0411).
    if (this.replies.detach() !== '') throw new Error('the mail server spoke before the encryption');
    const socket = connectTls({ socket: this.socket, ...this.trust });
    this.socket = socket;
    this.replies = new Lines(socket);
    await this.greet();
  }

  private async logIn(user: string, password: string): Promise<void> {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const offered = this.offers.find((line) => line.startsWith('AUTH '))?.split(' ') ?? [];
    if (offered.includes('PLAIN')) await this.say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 235, 'AUTH');
    else if (offered.includes('LOGIN')) {
      await this.say('AUTH LOGIN', 334, 'AUTH');
      await this.say(base64(user), 334, 'AUTH');
      await this.say(base64(password), 235, 'AUTH');
    } else throw new Error('the mail server takes no password');
  }

  /** One reply, of one line or several (`250-…`). */
  private async hear(expected: number, step: string): Promise<string[]> {
    const lines: string[] = [];
    for (let size = 0; size < LONGEST_REPLY; ) {
      const line = await this.replies.next();
      if (line === null) throw new Error(`the mail server hung up at ${step}`);
      size += line.length;
      lines.push(line.slice(4));
      if (line[3] === '-') continue;
      const code = Number(line.slice(0, 3));
      if (code === expected) return lines;
      throw new Error(`the mail server answered ${Number.isNaN(code) ? 'nonsense' : code} to ${step}`);
    }
    throw new Error(`the mail server talks without end at ${step}`);
  }
}

const nameOf = (host: string): { servername?: string } => (isIP(host) === 0 ? { servername: host } : {});
const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
