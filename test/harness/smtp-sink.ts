import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { TLSSocket, createSecureContext } from 'node:tls';

export interface SunkMail {
  readonly from: string;
  readonly to: string;
  /** As it came, headers and all. */
  readonly raw: string;
  readonly text: string;
  readonly encrypted: boolean;
  /** What the client logged in with. */
  readonly login: string | null;
}

export interface SmtpScript {
  /** Key and certificate in PEM: then STARTTLS is offered. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Sent in plain text after the answer to STARTTLS, as an attacker on the network could. */
  readonly injected?: string;
  readonly auth?: 'PLAIN' | 'LOGIN';
  /** Another answer to commands that begin so; `null` is none at all, `hang up` ends the connection. */
  readonly answers?: Readonly<Record<string, string | null>>;
  /**
   * Another answer to a mail, by the number of attempts to reach this receiver: `refuse` by greylisting, `cut` within the text, `later` behind
   * it, or `lost`: the mail is kept, and the answer is lost.
   */
  readonly attempt?: (to: string, number: number) => 'refuse' | 'cut' | 'later' | 'lost' | 'keep';
}

/** A real mail server on loopback that stores the mails it receives. */
export class SmtpSink {
  readonly mails: SunkMail[] = [];
  connections = 0;
  script: SmtpScript = {};
  private readonly attempts = new Map<string, number>();
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.connections++;
      this.serve(socket);
    });
  }

  static async start(): Promise<SmtpSink> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new SmtpSink(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(plain: Socket): void {
    this.sockets.add(plain);
    plain.on('error', () => undefined).on('close', () => this.sockets.delete(plain));
    const state: { socket: Socket; from: string; to: string; login: string | null; data: string[] | null; asking: string[] } = {
      socket: plain,
      from: '',
      to: '',
      login: null,
      data: null,
      asking: [],
    };
    let fate = 'keep';
    const say = (line: string): void => void state.socket.write(`${line}\r\n`);
    const decoded = (text: string): string => Buffer.from(text, 'base64').toString().replaceAll('\0', ' ').trim();
    const receive = (line: string): void => {
      if (state.data) {
        if (fate === 'cut') return void state.socket.destroy();
        if (line !== '.') return void state.data.push(line);
        if (fate === 'later') {
          state.data = null;
          return say('451 not now');
        }
        this.keep({ ...state, data: state.data });
        state.data = null;
        return fate === 'lost' ? void state.socket.destroy() : say('250 kept');
      }
      if (state.asking.length > 0) {
        state.login = `${state.login ?? ''} ${decoded(line)}`.trim();
        return say(state.asking.shift()!);
      }
      const scripted = Object.entries(this.script.answers ?? {}).find(([start]) => line.startsWith(start));
      if (scripted) return scripted[1] === 'hang up' ? void state.socket.end() : scripted[1] === null ? undefined : say(scripted[1]);
      if (line.startsWith('EHLO')) {
        const offers = [
          ...(this.script.tls && state.socket === plain ? ['STARTTLS'] : []),
          ...(this.script.auth ? [`AUTH ${this.script.auth}`] : []),
        ];
        return ['sink', ...offers, '8BITMIME'].forEach((offer, at, all) => say(`250${at === all.length - 1 ? ' ' : '-'}${offer}`));
      }
      if (line === 'STARTTLS') {
        if (!this.script.tls) return say('502 no encryption here');
        say(this.script.injected === undefined ? '220 go ahead' : `220 go ahead\r\n${this.script.injected}`);
        plain.removeAllListeners('data');
        state.socket = new TLSSocket(plain, { isServer: true, secureContext: createSecureContext(this.script.tls) });
        state.socket.on('error', () => undefined);
        listen(state.socket, receive);
        return;
      }
      if (/[^\x20-\x7e]/.test(line)) return say('553 ASCII only');
      if (line.startsWith('AUTH PLAIN ')) state.login = decoded(line.slice(11));
      else if (line === 'AUTH LOGIN') {
        state.asking = ['334 UGFzc3dvcmQ6', '235 welcome'];
        return say('334 VXNlcm5hbWU6');
      } else if (line.startsWith('MAIL FROM:')) state.from = /<(.*)>/.exec(line)![1]!;
      else if (line.startsWith('RCPT TO:')) {
        state.to = /<(.*)>/.exec(line)![1]!;
        fate = this.fateOf(state.to);
        if (fate === 'refuse') return say('450 4.2.0 greylisted, try again later');
      } else if (line === 'DATA') {
        state.data = [];
        return say('354 go on');
      }
      say(line.startsWith('AUTH') ? '235 welcome' : line === 'QUIT' ? '221 bye' : '250 ok');
    };
    listen(plain, receive);
    say('220 sink');
  }

  private fateOf(to: string): string {
    const number = this.attempts.get(to) ?? 0;
    this.attempts.set(to, number + 1);
    return this.script.attempt?.(to, number) ?? 'keep';
  }

  private keep({
    socket,
    from,
    to,
    login,
    data,
  }: {
    socket: Socket;
    from: string;
    to: string;
    login: string | null;
    data: string[];
  }): void {
    const body = data.slice(data.indexOf('') + 1).join('');
    const text = Buffer.from(body, 'base64').toString();
    this.mails.push({ from, to, login, raw: data.join('\n'), text, encrypted: socket instanceof TLSSocket });
  }
}

function listen(socket: Socket, receive: (line: string) => void): void {
  let held = '';
  socket.on('data', (chunk: Buffer) => {
    held += chunk.toString('latin1');
    for (let end = held.indexOf('\r\n'); end >= 0; end = held.indexOf('\r\n')) {
      const line = held.slice(0, end);
      held = held.slice(end + 2);
      receive(line);
    }
  });
}
