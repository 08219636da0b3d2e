import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpc } from '#chain';
import type { TraceabilityClient } from '#client';
import { eventually } from '../harness/eventually.js';
import { Exposition } from '../harness/prometheus-text.js';
import { SilentLine } from '../harness/silent-line.js';
import { World } from '../harness/world.js';

const REQUESTS = 'traceability_http_request_duration_seconds_count';

describe('the metrics of a running service', () => {
  let line: SilentLine;
  let world: World;
  let admin: TraceabilityClient;

  beforeAll(async () => {
    line = await SilentLine.open();
    const settings = { METRICS_PORT: '0', WEBHOOK_TIMEOUT_MS: '3000', DATABASE_TIMEOUT_MS: '10000' };
    world = await World.start(settings, undefined, (endpoint) => line.urlTo(endpoint), undefined, true);
    admin = await world.admin('rice');
  });
  afterAll(async () => {
    await world.close();
    await line.close();
  });

  async function scrape(url = world.service.metricsUrl!): Promise<Exposition> {
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    return Exposition.parse(await response.text());
  }
  const scrapedWith = (what: string, holds: (exposition: Exposition) => boolean): Promise<Exposition> =>
    eventually(what, async () => {
      const exposition = await scrape();
      return holds(exposition) && exposition;
    });

  it('show a healthy service: engines, indexer, pool, no backlog', async () => {
    const exposition = await scrapedWith('an indexer at the head and an empty outbox', (now) => {
      const lag = now.all('traceability_chain_lag_blocks')[0]?.value;
      return lag === 0 && now.value('traceability_outbox_topics', { state: 'waiting' }) === 0;
    });
    for (const engine of ['database', 'queue', 'content_storage', 'chain', 'indexer'])
      expect([engine, exposition.value('traceability_engine_up', { engine })]).toEqual([engine, 1]);
    for (const source of ['engines', 'queue', 'backlog']) expect(exposition.value('traceability_metrics_source_up', { source })).toBe(1);
    expect(exposition.value('traceability_info', { role: 'all' })).toBe(1);
    expect(exposition.value('traceability_indexer_state', { state: 'following' })).toBe(1);
    expect(exposition.value('traceability_chain_block', { position: 'projected' })).toBeGreaterThan(0);
    expect(exposition.value('traceability_chain_rpc_requests_total')).toBeGreaterThan(0);
    expect(exposition.value('traceability_database_pool_size')).toBe(10);
    expect(exposition.value('traceability_queue_jobs', { topic: 'webhooks.wake-up', state: 'failed' })).toBe(0);
    expect(exposition.all('traceability_outbox_oldest_seconds', { state: 'waiting' })).toEqual([]);
  });

  it('count requests by the pattern of their route, never by the requested path', async () => {
    const counted = (exposition: Exposition, route: string, status: string): number =>
      exposition.all(REQUESTS, { method: 'GET', route, status })[0]?.value ?? 0;
    const before = await scrape();
    for (const token of ['1', '2', '999999']) await admin.get(`/api/v1/nfts/${token}`).catch(() => undefined);
    for (const path of ['/wp-login.php', '/api/v1/nowhere/17', '/%ff']) await fetch(`${world.baseUrl}${path}`);
    await fetch(`${world.baseUrl}/api/v1/nfts?limit=1`);
    const after = await scrapedWith('requests that are counted', (now) => counted(now, '/api/v1/nfts', '4xx') === 1);
    expect(counted(after, '/api/v1/nfts/:tokenId', '4xx') - counted(before, '/api/v1/nfts/:tokenId', '4xx')).toBe(3);
    expect(counted(after, 'none', '4xx')).toBeGreaterThanOrEqual(2);
    const routes = new Set(after.all(REQUESTS).map(({ labels }) => labels.route));
    for (const route of routes) expect(route).not.toMatch(/\/\d|wp-login|nowhere|[0-9a-f]{8}-/);
  });

  it('count a reorganisation and the blocks that it undid', async () => {
    const chain = new JsonRpc({ urls: [world.node.url], timeoutMs: 10_000 });
    await chain.call('anvil_mine', ['0x3']);
    const head = Number(await chain.call<string>('eth_blockNumber', []));
    const block = (position: string) => (now: Exposition) => now.value('traceability_chain_block', { position });
    await scrapedWith('the empty blocks', (now) => block('projected')(now) === head);
    await chain.call('anvil_reorg', [2, []]);
    const exposition = await scrapedWith('the reorganisation', (now) => now.value('traceability_chain_reorgs_total') === 1);
    expect(exposition.value('traceability_chain_blocks_taken_back_total')).toBe(2);
  });

  it('count attempts by outcome, and deliveries by status', async () => {
    world.sink.script('/broken', 500, 410, { hang: true }, { reset: 'before' });
    const { id } = await admin.webhooks.create(world.sink.url('/broken'), ['nft.recalled']);
    await admin.post(`/api/v1/webhooks/${id}/test`, {});
    const exposition = await scrapedWith('a delivery that failed', (now) =>
      now.all('traceability_webhook_deliveries_total', { status: 'failed' }).some(({ value }) => value === 1),
    );
    for (const outcome of ['http_5xx', 'http_4xx', 'timeout', 'unreachable'])
      expect([outcome, exposition.value('traceability_webhook_attempts_total', { outcome })]).toEqual([outcome, 1]);
    expect(exposition.value('traceability_webhook_deliveries_total', { status: 'retrying' })).toBe(3);
  });

  it('of a second worker are its own: it waits as standby, and serves no request', async () => {
    const program = fileURLToPath(new URL('../../apps/worker/src/main.js', import.meta.url));
    const env = { ...world.environment, CHAIN_RPC_URLS: world.node.url, CONTENT_STORE: 'database', METRICS_PORT: '0' };
    const worker = spawn(process.execPath, [program], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    });
    const ended = once(worker, 'close');
    try {
      let url: string | undefined;
      createInterface({ input: worker.stderr }).on('line', (text) => (url ??= /Metrics at (\S+)/.exec(text)?.[1]));
      const found = await eventually('the address of the metrics', () => url);
      const exposition = await eventually('a worker that stands by', async () => {
        const now = await scrape(found);
        return now.all('traceability_indexer_state', { state: 'standby' })[0]?.value === 1 && now;
      });
      expect(exposition.value('traceability_info', { role: 'worker' })).toBe(1);
      expect(exposition.value('traceability_engine_up', { engine: 'database' })).toBe(1);
      expect(exposition.value('traceability_webhook_attempts_total', { outcome: 'success' })).toBe(0);
      for (const name of [REQUESTS, 'traceability_chain_lag_blocks']) expect(exposition.all(name)).toEqual([]);
    } finally {
      worker.kill('SIGTERM');
      await ended;
    }
  });

  it('contain nothing of a tenant, and no secret', async () => {
    const text = await (await fetch(world.service.metricsUrl!)).text();
    for (const { slug, admin: person, actors } of world.demo.tenants) {
      for (const secret of [slug, person.email, person.password]) expect(text).not.toContain(secret);
      for (const { email } of Object.values(actors)) expect(text).not.toContain(email);
    }
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|0x[0-9a-f]{40}/i);
  });

  it('are served while the database does not answer, and show that', async () => {
    line.hush();
    try {
      // Each source is asked in its own time, and an answer is good for five seconds.
      const silent = await scrapedWith(
        'a database that is down, and a backlog that nobody can tell',
        (now) =>
          now.all('traceability_engine_up', { engine: 'database' })[0]?.value === 0 &&
          now.value('traceability_metrics_source_up', { source: 'backlog' }) === 0,
      );
      expect(silent.all('traceability_webhook_deliveries_due')).toEqual([]);
      expect(silent.value('traceability_engine_up', { engine: 'chain' })).toBe(1);
    } finally {
      line.speak();
    }
    await scrapedWith('a database that is back', (now) => now.all('traceability_metrics_source_up').every(({ value }) => value === 1));
  });
});
