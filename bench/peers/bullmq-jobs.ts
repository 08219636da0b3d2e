import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Queue, Worker } from 'bullmq';
import { Agent } from 'undici';

export interface BullmqRun {
  readonly redis: { readonly host: string; readonly port: number };
  readonly url: string;
  readonly body: object;
  readonly deliveries: number;
  readonly inFlight: number;
}

// What somebody writes in an hour: one job a delivery with the body in it, signed when it is sent, repeated when it fails. No outbox, no
// fair shares, no history that can be asked for. Sends a message when it is ready, starts when it gets one, and sends how long all took.
const { redis, url, body, deliveries, inFlight } = JSON.parse(process.argv[2]!) as BullmqRun;
const agent = new Agent();
const { origin, pathname } = new URL(url);
const queue = new Queue<object>('deliveries', { connection: redis });
let left = deliveries;
let done: () => void = () => undefined;
const all = new Promise<void>((resolve) => (done = resolve));
const worker = new Worker<object>(
  'deliveries',
  async ({ data }) => {
    const text = JSON.stringify(data);
    const signature = createHmac('sha256', 'a secret of thirty-two bytes, as ours').update(text).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': `sha256=${signature}` };
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body: text });
    await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(String(answer.statusCode));
  },
  { connection: redis, concurrency: inFlight, autorun: false },
);
worker.on('completed', () => --left === 0 && done());
await worker.waitUntilReady();
process.send!({ ready: true });
await once(process, 'message');
const from = performance.now();
void worker.run();
const options = { attempts: 5, backoff: { type: 'exponential', delay: 1_000 }, removeOnComplete: 1_000 };
for (let added = 0; added < deliveries; added += 100)
  await queue.addBulk(Array.from({ length: Math.min(100, deliveries - added) }, () => ({ name: 'deliver', data: body, opts: options })));
await all;
process.send!({ ms: performance.now() - from });
await once(process, 'disconnect');
process.exit(0);
