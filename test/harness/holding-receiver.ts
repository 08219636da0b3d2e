import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks that lets a test answer some of them, with what they brought: it knows that they are under way until then. */
export class HoldingReceiver {
  /** Bodies of deliveries, as they came. */
  readonly bodies: string[] = [];
  private readonly held: { readonly body: string; readonly response: ServerResponse }[] = [];

  private constructor(
    private readonly server: Server,
    private readonly holds: (body: string) => boolean,
  ) {
    server.on('request', (request, response) => void this.take(request, response));
  }

  static async start(holds: (body: string) => boolean): Promise<HoldingReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HoldingReceiver(server, holds);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** How many wait for their answer. */
  get holding(): number {
    return this.held.length;
  }

  /** Answers all that wait with their own bodies. */
  echo(status: number): void {
    for (const { body, response } of this.held.splice(0)) response.writeHead(status).end(body);
  }

  close(): Promise<unknown> {
    this.echo(200);
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method !== 'POST') return void response.end();
    const body = Buffer.concat(parts).toString();
    this.bodies.push(body);
    if (this.holds(body)) this.held.push({ body, response });
    else response.end();
  }
}
