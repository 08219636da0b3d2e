import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENCE_MS, eventually } from './eventually.js';

/** How the sink treats one request. A bare number is a status. */
export interface SinkAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Before anything is answered. */
  readonly delayMs?: number;
  /** Sends one byte of the body at this interval and never ends: no idle timeout of a client fires. */
  readonly dripMs?: number;
  /** So many bytes of body, as fast as they are taken. */
  readonly hugeBytes?: number;
  /** The connection is reset: at once, or after the head of the answer. */
  readonly reset?: 'before' | 'after-head';
  /** Never answers. */
  readonly hang?: true;
}

export interface SunkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they came. */
  readonly body: Buffer;
  readonly at: Date;
}

/**
 * A real HTTP receiver on loopback that follows a script for each path and records what it saw. Only POSTs are recorded as
 * deliveries and follow the script; HEAD and GET are what reachability probes send and get 200, unless `probes` says otherwise.
 */
export class WebhookSink {
  readonly deliveries: SunkRequest[] = [];
  readonly probed: SunkRequest[] = [];
  /** Bytes of answers that were written to clients, before they hung up. */
  bytesTaken = 0;
  probes: SinkAnswer | number = 200;
  private readonly scripts = new Map<string, (SinkAnswer | number)[]>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.take(request, response));
  }

  static async start(): Promise<WebhookSink> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const sink = new WebhookSink(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** What the next POSTs to a path get; the last answer is repeated. Unscripted paths get 200. */
  script(path: string, ...answers: (SinkAnswer | number)[]): void {
    this.scripts.set(path, answers);
  }

  at(path: string): readonly SunkRequest[] {
    return this.deliveries.filter((request) => request.path === path);
  }

  received(path: string, count: number, withinMs = PATIENCE_MS): Promise<readonly SunkRequest[]> {
    return eventually(
      `${count} deliveries at ${path}, there are ${this.at(path).length}`,
      () => this.at(path).length >= count && this.at(path),
      {
        withinMs,
      },
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = request.url ?? '/';
    const seen = { method: request.method ?? '', path, headers: request.headers, body: Buffer.concat(chunks), at: new Date() };
    const delivery = request.method === 'POST';
    (delivery ? this.deliveries : this.probed).push(seen);
    const answer = delivery ? this.next(path) : this.probes;
    await this.answer(typeof answer === 'number' ? { status: answer } : answer, response);
  }

  private next(path: string): SinkAnswer | number {
    const script = this.scripts.get(path) ?? [];
    return (script.length > 1 ? script.shift() : script[0]) ?? 200;
  }

  private async answer(how: SinkAnswer, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    if (how.delayMs) await new Promise((resolve) => setTimeout(resolve, how.delayMs));
    if (how.hang) return;
    if (how.reset === 'before') return void response.socket?.resetAndDestroy();
    response.writeHead(how.status ?? 200, how.headers);
    if (how.reset === 'after-head') return void response.write('x', () => response.socket?.resetAndDestroy());
    if (how.dripMs) return this.drip(how.dripMs, response);
    if (how.hugeBytes) return this.flood(how.hugeBytes, response);
    response.end(how.body);
  }

  private drip(everyMs: number, response: ServerResponse): void {
    const timer = setInterval(() => response.write('.'), everyMs);
    response.on('close', () => clearInterval(timer));
  }

  private flood(bytes: number, response: ServerResponse): void {
    const chunk = Buffer.alloc(65_536, 'x');
    const more = (): void => {
      while (!response.destroyed && bytes > 0) {
        bytes -= chunk.length;
        this.bytesTaken += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  }
}
