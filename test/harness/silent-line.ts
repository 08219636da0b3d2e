import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { PostgresEndpoint } from '#persistence';

/** A way to a database that can fall silent without closing, as when its machine freezes or a firewall drops what goes through it. */
export class SilentLine {
  private target: PostgresEndpoint | null = null;
  private readonly ends = new Set<readonly [Socket, Socket]>();
  private silent = false;

  private constructor(private readonly server: Server) {
    server.on('connection', (near) => this.join(near));
  }

  static async open(): Promise<SilentLine> {
    const server = createServer({ allowHalfOpen: false }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SilentLine(server);
  }

  /** The address of that database by this line. */
  urlTo(target: PostgresEndpoint): string {
    this.target = target;
    const { user, password, database } = target;
    const login = password === undefined ? user : `${user}:${encodeURIComponent(password)}`;
    return `postgres://${login}@127.0.0.1:${(this.server.address() as AddressInfo).port}/${database}`;
  }

  hush(): void {
    this.silent = true;
    for (const [near, far] of this.ends) {
      near.unpipe(far);
      far.unpipe(near);
    }
  }

  speak(): void {
    this.silent = false;
    for (const [near, far] of this.ends) near.pipe(far).pipe(near);
  }

  async close(): Promise<void> {
    for (const ends of this.ends) for (const end of ends) end.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket): void {
    const { host, port } = this.target!;
    const far = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
    const ends = [near, far] as const;
    this.ends.add(ends);
    for (const end of ends)
      end
        .on('error', () => undefined)
        .on('close', () => {
          this.ends.delete(ends);
          for (const one of ends) one.destroy();
        });
    if (!this.silent) near.pipe(far).pipe(near);
  }
}
