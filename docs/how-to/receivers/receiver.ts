// A receiver of webhooks with nothing but Node. Copy `verify`; the rest shows how to use it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** How far the sender's clock and ours may be apart, in seconds; an older delivery that somebody kept is refused. */
const TOLERANCE = 300;
/** Bytes of a secret: with fewer, or none, anybody could sign. */
const LEAST = 24;
const LARGEST_BODY = 1_048_576;

type Scheme = 'standard' | 'sha256';

/**
 * @param secrets as they were shown, prefix included; two of them while one is being rotated
 * @param body the bytes as they came: parsed and written again they are others, and the signature is wrong
 * @returns why the delivery is not to be believed, or null
 */
export function verify(scheme: Scheme, secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer, now: Date): string | null {
  return scheme === 'standard' ? verifyStandard(secrets, headers, body, now) : verifyBody(secrets, headers, body);
}

/** Standard Webhooks: id, time and body are signed. `webhook-signature` lists one signature for each secret of the sender. */
function verifyStandard(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer, now: Date): string | null {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) return 'headers are missing';
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE) return 'too old, or a clock is wrong';
  const given = headerOf(headers, 'webhook-signature').split(' ');
  const keys = secrets.map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
  if (keys.some((key) => key.length < LEAST)) return 'a secret is not whole';
  const expected = keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`);
  return anyEqual(given, expected) ? null : 'the signature is wrong';
}

/** GitHub's way: the body alone is signed, so neither the id nor the time is certain. The second header is there during a rotation. */
function verifyBody(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer): string | null {
  const given = [headerOf(headers, 'x-webhook-signature'), headerOf(headers, 'x-webhook-signature-previous')];
  const expected = secrets.map((secret) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  return anyEqual(given, expected) ? null : 'the signature is wrong';
}

const headerOf = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');

/** Every pair in constant time: how long it takes says nothing of how much was right. */
const anyEqual = (given: readonly string[], expected: readonly string[]): boolean =>
  given.flatMap((one) => expected.map((other) => equal(Buffer.from(one), Buffer.from(other)))).includes(true);
const equal = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

/** Ids of deliveries that took effect. Here in memory; in earnest a row with a unique key, written in the transaction of the effect. */
const handled = new Set<string>();

function handle(id: string, body: Buffer): 'handled' | 'repeated' {
  if (handled.has(id)) return 'repeated';
  JSON.parse(body.toString('utf8')); // your effect; it throws, the answer is 500, and the delivery comes again
  handled.add(id);
  return 'handled';
}

async function read(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function answer(request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return 200; // HEAD, when the subscription is made: is somebody there?
  const body = await read(request);
  if (body === null) return 413;
  const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(' ').filter((secret) => secret !== '');
  const scheme = (process.env.WEBHOOK_SCHEME as Scheme | undefined) ?? 'standard';
  const refusal = verify(scheme, secrets, request.headers, body, new Date());
  const id = headerOf(request.headers, scheme === 'standard' ? 'webhook-id' : 'x-webhook-id'); // the same text, but only the first is signed
  console.log(JSON.stringify({ id, outcome: refusal ?? handle(id, body) }));
  return refusal === null ? 200 : 401;
}

const server = createServer((request, response) => {
  void answer(request).then(
    (status) => response.writeHead(status).end(),
    () => response.writeHead(500).end(),
  );
});
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => console.log('listening'));
