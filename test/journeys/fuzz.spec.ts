import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TraceabilityClient } from '#client';
import { openApiDocument } from '#http';
import { givePassword } from '../harness/give-password.js';
import { type FuzzedRequest, RequestFuzzer } from '../harness/request-fuzzer.js';
import { randomFrom } from '../harness/seeded-random.js';
import { World } from '../harness/world.js';

/** Requests at random, and how many of the places of all bodies (about 1 in `EVERY`) are tried with each wrong value. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1_500);
const EVERY = Number(process.env['FUZZ_EVERY'] ?? 10);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_129);
const ABREAST = 4;
const PASSWORD = 'correct horse battery';

/** They end the session or the key that the run uses, or wait for minutes. */
const EXCEPT = new Set(['POST /api/v2/auth/logout', 'POST /api/v2/auth/password', 'POST /api/v2/auth/refresh']);

jest.setTimeout(1_800_000);

/** `npm run test:fuzz` sends 20,000. A failure names the seed and the request; FUZZ_SEED repeats the run. */
describe(`${REQUESTS} requests made from the OpenAPI document, seed ${SEED}`, () => {
  let world: World;
  let credentials: readonly Readonly<Record<string, string>>[];
  let fuzzer: RequestFuzzer;

  beforeAll(async () => {
    world = await World.start();
    await world.play('rice', 4);
    const admin = await world.admin('rice');
    await admin.post('/api/v2/members', { email: 'operator@fuzz.example', roles: ['OPERATOR'] });
    await givePassword(world, 'operator@fuzz.example', PASSWORD);
    const { secret } = await admin.post<{ secret: string }>('/api/v1/api-keys', { name: 'fuzz', roles: ['TENANT_ADMIN'] });
    const bearer = async (email: string, password?: string) => ({ authorization: `Bearer ${await tokenOf(email, password)}` });
    const own = world.tenant('rice').admin;
    const foreign = world.tenant('wool').admin;
    // Those that may do most come most often. Some routes take a key, some a bearer token only.
    const key = { 'x-api-key': secret };
    const administrator = await bearer(own.email, own.password);
    const operator = await bearer('operator@fuzz.example');
    credentials = [key, administrator, operator, key, {}, administrator, await bearer(foreign.email, foreign.password)];
    const ids = await knownIds(world, admin);
    fuzzer = new RequestFuzzer(
      openApiDocument(world.service.app),
      randomFrom(SEED),
      (name, path) => ids[`${path} ${name}`] ?? ids[name] ?? [],
      EXCEPT,
    );
  });
  afterAll(() => world?.close());

  const tokenOf = async (email: string, password = PASSWORD): Promise<string> =>
    (await new TraceabilityClient(world.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', { email, password })).accessToken;

  it('meets no error of the service, no undocumented answer and no pointer to nowhere', async () => {
    const some = function* () {
      for (let sent = 0; sent < REQUESTS; sent++)
        yield [fuzzer.next(), credentials[Math.floor(sent / fuzzer.size) % credentials.length]!] as const;
    };
    const answered = await sendAll(some());
    // Otherwise it tried nothing: most requests have one fault, many have none.
    expect(share(answered, (status) => status < 300)).toBeGreaterThan(0.05);
    expect(share(answered, (status) => status === 400 || status === 422)).toBeGreaterThan(0.05);
  });

  it('meets none either with each wrong value in each place of a body', async () => {
    const some = function* () {
      let place = SEED;
      let sent = 0;
      for (const request of fuzzer.everyPlace()) if (place++ % EVERY === 0) yield [request, credentials[sent++ % 2]!] as const;
    };
    const answered = await sendAll(some());
    expect(share(answered, (status) => status === 400 || status === 422)).toBeGreaterThan(0.3);
  });

  async function sendAll(
    requests: Iterable<readonly [FuzzedRequest, Readonly<Record<string, string>>]>,
  ): Promise<ReadonlyMap<number, number>> {
    const faults: string[] = [];
    const answered = new Map<number, number>();
    const open = requests[Symbol.iterator]();
    const work = async (): Promise<void> => {
      for (let next = open.next(); !next.done; next = open.next()) {
        const [request, credential] = next.value;
        const { status, fault } = await send(world.baseUrl, request, credential);
        answered.set(status, (answered.get(status) ?? 0) + 1);
        if (fault !== null)
          faults.push(`${request.method} ${request.url.slice(0, 200)} ${request.body?.slice(0, 400) ?? ''}\n  ${status}: ${fault}`);
      }
    };
    await Promise.all(Array.from({ length: ABREAST }, work));
    expect(faults.concat([...world.contract.violations])).toEqual([]);
    world.contract.violations.clear();
    return answered;
  }
});

function share(answered: ReadonlyMap<number, number>, counts: (status: number) => boolean): number {
  const total = (list: readonly (readonly [number, number])[]): number => list.reduce((sum, [, count]) => sum + count, 0);
  return total([...answered].filter(([status]) => counts(status))) / total([...answered]);
}

async function send(
  baseUrl: string,
  { method, url, headers, body }: FuzzedRequest,
  credential: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly fault: string | null }> {
  const init = { method, headers: { ...ascii(headers), ...credential }, redirect: 'manual' as const, ...(body !== undefined && { body }) };
  const response = await fetch(baseUrl + url, init);
  const { status } = response;
  const answer = await response.text();
  if (status >= 500) return { status, fault: answer.slice(0, 300) };
  if (status < 400) return { status, fault: null };
  // Pages for people have errors for people; the OpenAPI document says which.
  if (!/^application\/problem\+json/.test(response.headers.get('content-type') ?? '')) return { status, fault: null };
  const { code, errors = [] } = JSON.parse(answer) as { code?: string; errors?: readonly { readonly pointer: string }[] };
  const lost = errors.filter(({ pointer }) => !leadsSomewhere(pointer, body));
  if (lost.length > 0) return { status, fault: `pointers to nothing: ${lost.map(({ pointer }) => pointer).join(' ')}` };
  return { status, fault: code === undefined ? 'no code' : null };
}

/** The name of a query or path parameter, or a place of the body: what is missing has at least a parent there. */
function leadsSomewhere(pointer: string, body: string | undefined): boolean {
  if (pointer === '') return true;
  if (!pointer.startsWith('/')) return false;
  const parts = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (parts.length === 1) return true;
  let at: unknown;
  try {
    at = JSON.parse(body ?? '');
  } catch {
    return true;
  }
  for (const part of parts.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return false;
    at = (at as Record<string, unknown>)[part];
  }
  return true;
}

const ascii = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^\t\x20-\xff]/g, '')]));

/** Things of the tenant that requests can name, by parameter, or by path and parameter. */
async function knownIds(world: World, admin: TraceabilityClient): Promise<Readonly<Record<string, readonly string[]>>> {
  const lots = (await admin.lots.list()).data;
  const events = await admin.get<{ data: { id: string }[] }>('/api/v1/events');
  const organisation = await admin.post<{ id: string }>('/api/v1/organisations', { name: 'Fuzz' });
  const webhook = await admin.webhooks.create(world.sink.url(), ['event.recorded']);
  const member = await admin.post<{ id: string }>('/api/v2/members', {
    email: 'other@fuzz.example',
    roles: ['OPERATOR'],
  });
  const key = await admin.post<{ id: string }>('/api/v1/api-keys', { name: 'other', roles: ['OPERATOR'] });
  return {
    tokenId: lots.map(({ tokenId }) => String(tokenId)),
    tlc: lots.map(({ tlc }) => String(tlc)),
    '/api/v1/events/{id} id': events.data.map(({ id }) => id),
    '/api/v1/organisations/{id} id': [organisation.id],
    '/api/v1/webhooks/{id} id': [webhook.id],
    '/api/v2/members/{id} id': [member.id],
    '/api/v1/api-keys/{id} id': [key.id],
    txHash: lots.map(({ txHash }) => String(txHash)),
    format: ['untp-dte', 'untp-dpp', 'eudr-geojson', 'pact-v3'],
    report: ['inventory', 'yield', 'suppliers', 'documents'],
  };
}
