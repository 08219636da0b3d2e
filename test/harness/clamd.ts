import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

/** The EICAR test string, which every scanner takes for a virus; in two parts, so that this file is none. */
export const EICAR = String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR` + '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';

/** Plays clamd: reads INSTREAM as its manual says, and answers by what was streamed. */
export class PlayedClamd {
  /** Streams that arrived whole. */
  readonly scanned: Buffer[] = [];
  /** Says this instead of scanning; `hang up` closes the connection. */
  instead: string | null = null;
  private readonly open = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.serve(socket));
  }

  static async start(): Promise<PlayedClamd> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PlayedClamd(server);
  }

  get url(): string {
    return `tcp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket): void {
    this.open.add(socket);
    socket.on('close', () => this.open.delete(socket));
    socket.on('error', () => undefined);
    if (this.instead === 'hang up') return void socket.destroy();
    let arrived = Buffer.alloc(0);
    socket.on('data', (part: Buffer) => {
      arrived = Buffer.concat([arrived, part]);
      const stream = streamIn(arrived);
      if (stream === null) return;
      this.scanned.push(stream);
      const verdict = stream.includes(EICAR) ? 'stream: Eicar-Signature FOUND' : 'stream: OK';
      socket.end(`${this.instead ?? verdict}\0`);
    });
  }
}

const COMMAND = 'zINSTREAM\0';

/** Null while it is not whole. */
function streamIn(arrived: Buffer): Buffer | null {
  if (arrived.length < COMMAND.length) return null;
  if (arrived.subarray(0, COMMAND.length).toString() !== COMMAND) throw new Error('not INSTREAM');
  const parts: Buffer[] = [];
  for (let at = COMMAND.length; at + 4 <= arrived.length;) {
    const length = arrived.readUInt32BE(at);
    if (length === 0) return Buffer.concat(parts);
    if (at + 4 + length > arrived.length) return null;
    parts.push(arrived.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return null;
}
