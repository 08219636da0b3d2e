import { type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request as ask } from 'undici';

/** Enough for a new process to start when both are down on a busy machine. */
const PATIENCE_MS = 240_000;

/**
 * A load balancer of several APIs. Each request goes to the next one, and to another one when that API is down or ends before it
 * answers. Such a request may be served twice: all requests of the tests allow that.
 */
export class Balancer {
  /** Number of answers per API. */
  readonly served: number[];
  /** Requests that another API had to answer. */
  moved = 0;
  private readonly agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  private requests = 0;

  private constructor(
    private readonly apis: readonly string[],
    private readonly server: Server,
  ) {
    this.served = apis.map(() => 0);
    server.on('request', (request, response) => void this.pass(request, response));
  }

  static async before(apis: readonly string[]): Promise<Balancer> {
    const server = createServer({ requestTimeout: 0 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Balancer(apis, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.agent.close();
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const end = Date.now() + PATIENCE_MS;
    for (let tries = 0; Date.now() < end; tries++) {
      const api = this.requests++ % this.apis.length;
      try {
        const answer = await ask(new URL(request.url!, this.apis[api]), {
          method: request.method as 'GET',
          headers: passed(request.headers),
          dispatcher: this.agent,
          ...(body.length > 0 && { body }),
        });
        const bytes = Buffer.from(await answer.body.arrayBuffer());
        this.served[api]!++;
        if (tries > 0) this.moved++;
        return void response.writeHead(answer.statusCode, passed(answer.headers)).end(bytes);
      } catch {
        await pause(50);
      }
    }
    response.writeHead(502).end();
  }
}

/** What belongs to one connection is not passed on to the next. */
const OF_A_CONNECTION = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive']);
const passed = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_A_CONNECTION.has(name)));
