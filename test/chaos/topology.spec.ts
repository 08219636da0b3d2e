import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { TraceabilityClient, verifyWebhookBody } from '#client';
import { configFrom } from '#config';
import { type FakeKubo, startFakeKubo } from '#content-storage/testing';
import { migrationState } from '#persistence';
import { seedDemo } from '../../apps/cli/src/demo/seed.js';
import { type DemoFile, readDemoFile } from '../../apps/cli/src/demo/demo-file.js';
import { playScenario } from '../../apps/cli/src/demo/play-scenario.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { contexts } from '../../apps/runtime/src/index.js';
import { eventually } from '../harness/eventually.js';
import { type SunkRequest, WebhookSink } from '../harness/webhook-sink.js';
import { Balancer } from './balancer.js';
import { Cluster } from './cluster.js';

const TOPICS = ['event.recorded', 'nft.created', 'custody.transferred'] as const;
const SLUGS = ['rice', 'wool'] as const;
type Slug = (typeof SLUGS)[number];
/** Events and lots of the scenarios, with containers. The contents of a container are transferred with it. */
const EXPECTED_DELIVERIES: Readonly<Record<Slug, Readonly<Record<(typeof TOPICS)[number], number>>>> = {
  rice: { 'event.recorded': 10, 'nft.created': 9, 'custody.transferred': 4 },
  wool: { 'event.recorded': 11, 'nft.created': 10, 'custody.transferred': 6 },
};
/** Processes restart in between, which takes minutes on a busy machine. */
const LONG = { withinMs: 240_000 };
const idOf = ({ headers }: SunkRequest): string => String(headers['x-webhook-id']);
const topicOf = ({ headers }: SunkRequest): string => String(headers['x-webhook-event']);

jest.setTimeout(900_000);

/**
 * What docker/compose.yaml starts, as processes: two APIs and two workers on one PostgreSQL, one Redis (or, where there is none, the
 * queue on PostgreSQL), one EVM node and one IPFS node, the last a fake that speaks Kubo's RPC API over HTTP.
 */
describe('two APIs and two workers on shared engines', () => {
  let cluster: Cluster;
  let kubo: FakeKubo;
  let sink: WebhookSink;
  let balancer: Balancer;
  let demo: DemoFile;
  const secrets = new Map<Slug, string>();

  beforeAll(async () => {
    [kubo, sink] = await Promise.all([startFakeKubo(), WebhookSink.start()]);
    const settings = { KUBO_RPC_URL: kubo.url, KUBO_TIMEOUT_MS: '60000', DATABASE_TIMEOUT_MS: '60000', CHAIN_TIMEOUT_MS: '60000' };
    cluster = await Cluster.start({ ...settings, WEBHOOK_TIMEOUT_MS: '60000', WEBHOOK_RETRY_DELAYS_MS: '200,400,800' }, 0);
    balancer = await Balancer.before(cluster.baseUrls);
    const { CHAIN_RPC_URLS: rpcUrl, DATA_DIR: folder } = cluster.environment as { CHAIN_RPC_URLS: string; DATA_DIR: string };
    await seedDemo(configFrom(cluster.environment), { baseUrl: balancer.url, rpcUrl }, () => undefined);
    demo = readDemoFile(folder)!;
  });
  afterAll(async () => {
    await balancer?.close();
    await cluster?.close();
    await Promise.all([kubo?.close(), sink?.close()]);
  });

  const tenantOf = (slug: Slug) => demo.tenants.find((tenant) => tenant.slug === slug)!;
  const adminOf = (slug: Slug): Promise<TraceabilityClient> => {
    const { email, password } = tenantOf(slug).admin;
    return TraceabilityClient.login(balancer.url, email, password, slug);
  };
  const counted = (requests: readonly SunkRequest[]): Record<string, number> =>
    Object.fromEntries(TOPICS.map((topic) => [topic, new Set(requests.filter((r) => topicOf(r) === topic).map(idOf)).size]));
  const unfinished = (): Promise<number> =>
    cluster.unitOfWork.asSystem(async (tx) => {
      const [left] = await tx.sql<{ n: number }>(
        `select ((select count(*) from persistence.outbox where relayed_at is null)
               + (select count(*) from webhooks.delivery where status in ('pending', 'sending', 'retrying')))::int as n`,
      );
      return left!.n;
    });

  it('start at the same time on an empty database, and migrate it once', async () => {
    expect(await migrationState(cluster.postgres.endpoint, contexts)).toMatchObject({ pending: [] });
    expect([...cluster.apis, ...cluster.workers].flatMap(({ ended }) => ended)).toEqual([]);
  });

  it('lose nothing when an API and a worker are killed in the middle of two value chains', async () => {
    for (const slug of SLUGS) {
      const hook = await (await adminOf(slug)).webhooks.create(sink.url(`/${slug}`), TOPICS);
      secrets.set(slug, hook.secret);
    }
    // While this value chain is between two events, the other one is in the middle of one.
    const kill = ({ number }: { readonly number: number }): void => {
      if (number === 4) cluster.workers[0]!.signal('SIGKILL');
      if (number === 6) cluster.apis[0]!.signal('SIGKILL');
    };
    await Promise.all(
      SLUGS.map((slug) => playScenario(demo, tenantOf(slug), readScenario(slug), slug === 'rice' ? kill : () => undefined)),
    );
    expect(cluster.apis[0]!.ended).toEqual(['SIGKILL']);
    expect(cluster.workers.map(({ ended }) => ended)).toEqual([['SIGKILL'], []]);
    expect(Math.min(...balancer.served)).toBeGreaterThan(10);
    expect(balancer.moved).toBeGreaterThan(0);
  });

  it('deliver every webhook, signed, and repeat one only with the same id and bytes', async () => {
    await cluster.ready();
    await eventually('everything to be delivered', async () => (await unfinished()) === 0, LONG);
    for (const slug of SLUGS) {
      const requests = sink.at(`/${slug}`);
      expect([slug, counted(requests)]).toEqual([slug, EXPECTED_DELIVERIES[slug]]);
      const first = new Map<string, Buffer>();
      for (const request of requests) {
        expect(verifyWebhookBody(secrets.get(slug)!, request.body, request.headers['x-webhook-signature'] as string)).toBe(true);
        expect(request.body.equals(first.get(idOf(request)) ?? request.body)).toBe(true);
        first.set(idOf(request), request.body);
      }
    }
    const outcomes = await cluster.unitOfWork.asSystem((tx) => tx.sql<{ status: string }>(`select distinct status from webhooks.delivery`));
    expect(outcomes).toEqual([{ status: 'delivered' }]);
  });

  it('leave the lots of the golden result, with the contents in the one IPFS node', async () => {
    const admin = await adminOf('rice');
    for (const [tlc, { assetType }] of Object.entries(expectedOf('rice').lots))
      expect(await admin.lots.byTlc(tlc)).toMatchObject({ tlc, assetType });
    const { data } = await admin.events.list({ limit: 100 });
    expect(await admin.events.verify(String(data[0]!.id))).toMatchObject({ status: 'ok' });
    expect(kubo.asked.filter((path) => path.startsWith('/api/v0/block/put')).length).toBeGreaterThanOrEqual(21);
  });

  it('finish the request and the attempts in flight on SIGTERM, and exit with code 0', async () => {
    const { email, password } = tenantOf('rice').admin;
    const direct = await TraceabilityClient.login(cluster.baseUrls[1]!, email, password, 'rice');
    sink.script('/slow', { delayMs: 2_000 });
    sink.probes = { delayMs: 2_000 };
    const seen = sink.probed.length;
    const registering = direct.webhooks.create(sink.url('/slow'), ['nft.recalled']);
    await eventually('the probe of the receiver', () => sink.probed.length > seen);
    cluster.apis[1]!.signal('SIGTERM');
    const { id } = await registering;
    await eventually('the API to have ended', () => cluster.apis[1]!.ended.length > 0, LONG);
    expect(cluster.apis[1]!.ended).toEqual([0]);

    sink.probes = 200;
    const admin = await adminOf('rice');
    await admin.post(`/api/v1/webhooks/${id}/test`);
    await eventually('the attempt', () => sink.at('/slow').length > 0, LONG);
    for (const worker of cluster.workers) worker.signal('SIGTERM');
    await eventually('the workers to have ended', () => cluster.workers.every(({ ended }) => ended.at(-1) === 0), LONG);
    expect(await admin.webhooks.deliveries(id)).toMatchObject([{ success: true, attempt: 1, statusCode: 200, error: null }]);
    await cluster.ready();
  });

  it('refuse a database that a newer version has migrated, in one sentence', async () => {
    const later = 'traceability/203001010000-later';
    const database = new Client({ ...cluster.postgres.endpoint });
    await database.connect();
    await database.query('insert into persistence.migration (name, checksum) values ($1, $2)', [later, 'x']);
    await database.end();
    const folder = mkdtempSync(join(tmpdir(), 'trace-older-'));
    try {
      for (const role of ['api', 'worker']) {
        const { code, said } = await run({ ...cluster.environment, ROLE: role, PORT: '0', DATA_DIR: join(folder, role) });
        expect([role, code]).toEqual([role, 1]);
        expect(said).toContain(`The database is newer than this version of the service: it has ${later}. Start the newer version.`);
        expect(said).not.toContain('    at ');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

interface Expected {
  readonly lots: Readonly<Record<string, { readonly assetType: string }>>;
}
const expectedOf = (slug: Slug): Expected =>
  JSON.parse(readFileSync(new URL(`../harness/expected/${slug}.expected.json`, import.meta.url), 'utf8')) as Expected;

/** One program for both roles, as in the image. */
async function run(env: Readonly<Record<string, string>>): Promise<{ code: number | null; said: string }> {
  const child: ChildProcess = spawn(process.execPath, ['--no-warnings', new URL('../../apps/api/src/main.js', import.meta.url).pathname], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}
