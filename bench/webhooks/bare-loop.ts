import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Pool } from 'pg';
import { Agent } from 'undici';
import type { PostgresEndpoint } from '#persistence';

/** Settings of the bare loop. */
export interface BareRun {
  readonly endpoint: PostgresEndpoint;
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly deliveries: number;
  readonly inFlight: number;
}

// The same POST and one insert for each delivery, with the concurrency and the pool size of the worker, but no outbox, lease,
// signature or retry. Sends a message when it is ready, starts when it receives one, and sends the milliseconds that all of them took.
const { endpoint, url, body, headers, deliveries, inFlight } = JSON.parse(process.argv[2]!) as BareRun;
const pool = new Pool({ ...endpoint, max: 10 });
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
const { origin, pathname } = new URL(url);
const bytes = Buffer.from(body);

const deliver = async (): Promise<void> => {
  const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body: bytes });
  await answer.body.text();
  await pool.query({
    name: 'insert',
    text: 'insert into bare_delivery (id, url, status_code, body, created_at) values ($1, $2, $3, $4, $5)',
    values: [randomUUID(), url, answer.statusCode, body, new Date()],
  });
};

await Promise.all(Array.from({ length: 10 }, () => pool.query('select 1')));
process.send!({ ready: true });
await once(process, 'message');
const from = performance.now();
let left = deliveries;
await Promise.all(
  Array.from({ length: inFlight }, async () => {
    while (left-- > 0) await deliver();
  }),
);
process.send!({ ms: performance.now() - from });
process.on('disconnect', () => process.exit(0));
await pool.end();
await agent.close();
