import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '#client';

export interface ReceivedWebhook {
  readonly id: string;
  readonly topic: string;
  readonly verified: boolean;
}

/** The receiver of the demo, as an integrator would write one: raw body, constant-time check, idempotent by X-Webhook-Id. */
export class WebhookReceiver {
  private readonly received = new Map<string, ReceivedWebhook>();
  private readonly secrets = new Map<string, string>();

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      void readBody(request).then((body) => {
        receiver.receive(request, body);
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** One path per subscription, so that each has its own secret. */
  urlFor(tenant: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${tenant}`;
  }

  trust(tenant: string, secret: string): void {
    this.secrets.set(`/${tenant}`, secret);
  }

  get all(): readonly ReceivedWebhook[] {
    return [...this.received.values()];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private receive(request: IncomingMessage, body: Buffer): void {
    const header = (name: string): string => String(request.headers[name] ?? '');
    const secret = this.secrets.get(request.url ?? '');
    // The probe at registration arrives before the secret is known here.
    if (!secret || request.method !== 'POST') return;
    this.received.set(header('x-webhook-id'), {
      id: header('x-webhook-id'),
      topic: header('x-webhook-event'),
      verified: isTrue(secret, body, request),
    });
  }
}

function isTrue(secret: string, body: Buffer, { headers }: IncomingMessage): boolean {
  try {
    return verifyWebhook(secret, body, headers).id === headers['x-webhook-id'];
  } catch {
    return false;
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
