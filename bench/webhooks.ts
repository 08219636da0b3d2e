import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { configFrom, type WebhooksConfig } from '#config';
import { type Actor, newId } from '#kernel';
import { migrate, openDatabase, type PostgresEndpoint, releaseOutbox, startEmbeddedPostgres, TypeOrmUnitOfWork, type UnitOfWork } from '#persistence';
import type { QueueEngine } from '#queue';
import { webhooksPersistence } from '#webhooks';
import { findRedis, startRedis } from '../test/engines/queue-redis.js';
import { tenantAdmin, WebhooksWorld } from '../test/engines/webhooks-world.js';
import { type Measurement, type Scenario, median } from './report.js';
import type { BareRun } from './webhooks/bare-loop.js';
import { Child } from './webhooks/child.js';
import type { WorkerRun } from './webhooks/worker.js';

const TENANTS = 50;
const DELIVERIES = Number(process.env.BENCH_N ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const MANY = 100_000;
const DEAD = 10_000;
const SAMPLES = 300;
const MIXED = 5;
const CHAIN = 31_337;

type Say = (line: string) => void;
interface Usage {
  readonly rss: number;
  readonly heapUsed: number;
  readonly cpuMs: number;
}

/** A fact as `nft.created` tells it. */
const fact = (serial: number): object => ({
  tenantId: 'rice',
  chainId: CHAIN,
  contractAddress: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  txHash: `0x${serial.toString(16).padStart(64, '0')}`,
  blockNumber: serial,
  occurredAt: '2026-09-15T08:00:00.000Z',
  serial,
  tokenId: serial,
  tlc: `RH-20260915-${serial}`,
  assetType: '0x2d1f3a5e00000000000000000000000000000000000000000000000000000000',
  assetTypeName: 'PADDY_RICE',
  processMapName: 'rice',
  custodian: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  quantity: 500,
  uom: 'KGM',
  metadataCid: 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq',
  dataHash: `0x${'ab'.repeat(32)}`,
  expiresAt: null,
  mintEventId: `0x${'cd'.repeat(16)}${'0'.repeat(32)}`,
  parentTokenIds: [],
  digitalLink: null,
});

class Bench {
  private block = 0;
  private constructor(
    readonly endpoint: PostgresEndpoint,
    readonly unitOfWork: UnitOfWork,
    readonly api: WebhooksWorld,
    readonly sink: Child<{ taken: number }>,
    readonly sinkUrl: string,
    private readonly closers: (() => Promise<unknown>)[],
  ) {}

  static async start(): Promise<Bench> {
    const folder = mkdtempSync(join(tmpdir(), 'trace-bench-webhooks-'));
    const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), ...(process.env.BENCH_STATS && { settings: { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'all', track_wal_io_timing: 'on' } }) });
    await migrate(server.endpoint, [webhooksPersistence]);
    if (process.env.BENCH_STATS) { const { Client } = await import('pg'); const c = new Client({ ...server.superuser, database: server.endpoint.database }); c.on('error', () => undefined); await c.connect(); await c.query('create extension pg_stat_statements'); (globalThis as any).stats = async () => { const { rows } = await c.query("select calls, round(total_exec_time) ms, round(mean_exec_time::numeric,3) mean, rows, shared_blks_hit/calls hit, round(total_plan_time) plan, wal_bytes/calls wal, substr(regexp_replace(query, '\\s+', ' ', 'g'), 1, 90) q from pg_stat_statements order by total_exec_time desc limit 22"); console.error(rows.map((r: any) => Object.values(r).join(' | ')).join('\n')); await c.query('select pg_stat_statements_reset()'); }; }
    const dataSource = await openDatabase(server.endpoint, [webhooksPersistence]);
    const api = await WebhooksWorld.start(server.endpoint, { subscriptionsPerTenant: 1_000 }, false);
    const { child, said } = await Child.start<{ port: number }, { taken: number }>('sink');
    await dataSource.query('create table bare_delivery (id uuid primary key, url text, status_code int, body text, created_at timestamptz)');
    return new Bench(server.endpoint, new TypeOrmUnitOfWork(dataSource), api, child, `http://127.0.0.1:${said.port}`, [
      () => child.end(),
      () => api.stop(),
      () => dataSource.destroy(),
      () => server.stop(),
      () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
    ]);
  }

  async close(): Promise<void> {
    for (const closer of this.closers) await closer();
  }

  /** A tenant with one subscription: each of its facts is one delivery, the dearest case of bookkeeping. */
  async subscriber(path: string): Promise<Actor> {
    const tenant = tenantAdmin();
    await this.api.as(tenant).subscribe(this.sinkUrl + path, 'nft.created');
    return tenant;
  }

  /** Facts of a block that is not final yet, those of all tenants mixed as they come. */
  async prepare(tenants: readonly Actor[], each: number): Promise<void> {
    const number = ++this.block;
    for (let serial = 0; serial < each; serial += MIXED)
      for (const { tenantId } of tenants)
        await this.unitOfWork.inTransaction({ tenantId }, (tx) =>
          tx.publish(
            Array.from({ length: Math.min(MIXED, each - serial) }, (_, i) => ({
              topic: 'nft.created' as const,
              key: newId(),
              occurredAt: new Date(),
              data: fact(serial + i),
              block: { chainId: CHAIN, number },
            })),
          ),
        );
  }

  release(): Promise<void> {
    return this.unitOfWork.asSystem((tx) => releaseOutbox(tx, CHAIN, this.block));
  }

  async waiting(): Promise<number> {
    const [found] = await this.unitOfWork.asSystem((tx) =>
      tx.sql<{ n: number }>(`select count(*)::int as n from webhooks.delivery where status in ('pending', 'retrying', 'sending')`),
    );
    return found!.n;
  }

  /** @returns when the sink took so many more and all is written down */
  async taken(before: number, more: number): Promise<void> {
    while ((await this.sink.ask()).taken < before + more) await pause(20);
    while ((await this.waiting()) > 0) await pause(5);
  }

  async bare(deliveries: number, inFlight: number): Promise<number> {
    const body = JSON.stringify({ event: 'nft.created', timestamp: new Date().toISOString(), data: fact(1) });
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'traceability-service-webhooks/1',
      'X-Webhook-Id': newId(),
      'X-Webhook-Event': 'nft.created',
      'X-Webhook-Signature': `sha256=${'a'.repeat(64)}`,
      'webhook-id': newId(),
      'webhook-timestamp': '1790000000',
      'webhook-signature': `v1,${'A'.repeat(43)}=`,
    };
    const run: BareRun = { endpoint: this.endpoint, url: `${this.sinkUrl}/bare`, body, headers, deliveries, inFlight };
    const c0 = cpu(); const { child, said } = await Child.start<{ ms: number }>('bare-loop', run); console.error('  bare', spent(c0, deliveries));
    await child.end();
    return (deliveries * 1_000) / said.ms;
  }

  async worker(queue: QueueEngine, webhooks: WebhooksConfig): Promise<Child<Usage>> {
    const run: WorkerRun = { endpoint: this.endpoint, queue, webhooks };
    return (await Child.start<{ ready: true }, Usage>('worker', run)).child;
  }

  async rate(tenants: readonly Actor[], deliveries: number): Promise<number> {
    await this.prepare(tenants, deliveries / tenants.length);
    const { taken } = await this.sink.ask();
    await this.release();
    const c0 = cpu();
    const from = performance.now();
    await this.taken(taken, deliveries);
    const r = (deliveries * 1_000) / (performance.now() - from); console.error('  service', spent(c0, deliveries)); return r;
  }

  /** Median milliseconds from the commit of a fact to its arrival, one fact at a time. */
  async latency({ tenantId }: Actor, serials: { next: number }): Promise<number> {
    const arrived = new Map<number, number>();
    const note = (said: { serial?: number; at?: number }): void => {
      if (said.serial !== undefined) arrived.set(said.serial, said.at!);
    };
    this.sink.child.on('message', note);
    const latencies: number[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      const serial = serials.next++;
      await this.unitOfWork.inTransaction({ tenantId }, (tx) =>
        tx.publish([{ topic: 'nft.created', key: newId(), occurredAt: new Date(), data: fact(serial) }]),
      );
      const committed = performance.timeOrigin + performance.now();
      while (!arrived.has(serial)) await pause(1);
      latencies.push(arrived.get(serial)! - committed);
      await pause(15);
    }
    this.sink.child.off('message', note);
    return median(latencies);
  }
}

const settings: WebhooksConfig = configFrom({ NODE_ENV: 'test', ...(process.env.BENCH_CONC && { WEBHOOK_CONCURRENCY: process.env.BENCH_CONC }) }).webhooks;

async function throughput(bench: Bench, tenants: readonly Actor[], say: Say): Promise<Measurement[]> {
  const redis = findRedis();
  const runningRedis = redis ? await startRedis(redis) : null;
  if (!runningRedis) say('no redis-server on the path: that backend is left out');
  const backends: [string, QueueEngine][] = [
    ['PostgreSQL', { kind: 'database', at: bench.endpoint }],
    ...(runningRedis ? [['Redis', runningRedis.engine] as [string, QueueEngine]] : []),
  ];
  const bareRates: number[] = [];
  const rates = new Map<string, number[]>(backends.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    bareRates.push(await bench.bare(DELIVERIES, settings.concurrency));
    for (const [name, queue] of backends) {
      const worker = await bench.worker(queue, settings);
      if (process.env.BENCH_STATS) await (globalThis as any).stats();
      const before = await worker.ask();
      rates.get(name)!.push(await bench.rate(tenants, DELIVERIES));
      if (process.env.BENCH_STATS) await (globalThis as any).stats();
      const after = await worker.ask();
      await worker.end();
      say(`worker on ${name}: ${((after.cpuMs - before.cpuMs) / DELIVERIES).toFixed(3)} ms of CPU a delivery`);
    }
    say(`round ${round + 1}: bare ${bareRates.at(-1)!.toFixed(0)}/s, ${[...rates].map(([name, all]) => `${name} ${all.at(-1)!.toFixed(0)}/s`).join(', ')}`);
  }
  await runningRedis?.stop();
  const bare = median(bareRates);
  return [
    { what: `bare loop, ${settings.concurrency} at once`, value: bare, unit: 'deliveries/s' },
    ...[...rates].flatMap(([name, all]) => [
      { what: `deliveries, queue on ${name}`, value: median(all), unit: 'deliveries/s' },
      { what: `ratio, queue on ${name}`, value: median(all) / bare, unit: '', limit: 'at least 0.5 of the bare loop' },
    ]),
  ];
}

async function besideTheDead(bench: Bench, say: Say): Promise<Measurement[]> {
  const healthy = await bench.subscriber('/timed');
  const serials = { next: 1 };
  const worker = await bench.worker({ kind: 'database', at: bench.endpoint }, settings);
  await bench.latency(healthy, serials);
  const alone = [await bench.latency(healthy, serials), await bench.latency(healthy, serials)];
  const dead = await bench.subscriber('/dead');
  await bench.prepare([dead], DEAD);
  const { taken } = await bench.sink.ask();
  await bench.release();
  while ((await bench.sink.ask()).taken < taken + DEAD) await pause(50);
  const beside = [await bench.latency(healthy, serials), await bench.latency(healthy, serials)];
  const pending = await bench.waiting();
  say(`alone ${alone.map((ms) => ms.toFixed(2)).join(', ')} ms; beside ${pending} pending retries ${beside.map((ms) => ms.toFixed(2)).join(', ')} ms`);
  await worker.end();
  return [
    { what: 'healthy subscription alone, fact committed to fact received, median', value: median(alone), unit: 'ms' },
    { what: `the same beside ${pending} pending retries of a dead sink`, value: median(beside), unit: 'ms' },
    { what: 'ratio', value: median(beside) / median(alone), unit: '', limit: 'within 20 %' },
  ];
}

async function memory(bench: Bench, tenants: readonly Actor[], say: Say): Promise<Measurement[]> {
  const worker = await bench.worker({ kind: 'database', at: bench.endpoint }, settings);
  const heaps: Usage[] = [];
  for (let done = 0; done < MANY; done += DELIVERIES) {
    await bench.rate(tenants, DELIVERIES);
    heaps.push(await worker.ask());
    say(`${done + DELIVERIES} deliveries: heap ${mib(heaps.at(-1)!.heapUsed)} MiB, resident ${mib(heaps.at(-1)!.rss)} MiB`);
  }
  await worker.end();
  return [
    { what: `heap in use after ${DELIVERIES} deliveries`, value: Number(mib(heaps[0]!.heapUsed)), unit: 'MiB' },
    { what: `heap in use after ${MANY} deliveries`, value: Number(mib(heaps.at(-1)!.heapUsed)), unit: 'MiB', limit: 'flat' },
    { what: `resident after ${DELIVERIES} deliveries`, value: Number(mib(heaps[0]!.rss)), unit: 'MiB' },
    { what: `resident after ${MANY} deliveries`, value: Number(mib(heaps.at(-1)!.rss)), unit: 'MiB', limit: 'flat' },
  ];
}

const { execFileSync } = await import('node:child_process');
const cpu = (): Record<string, number> => JSON.parse(execFileSync('python3', ['/tmp/cpu.py'], { encoding: 'utf8' })) as Record<string, number>;
const spent = (before: Record<string, number>, n: number): string => { const now = cpu(); return Object.entries(now).map(([k, v]) => `${k} ${((v - (before[k] ?? 0)) / n).toFixed(3)}`).join(' '); };
const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

export const scenario: Scenario = {
  name: 'webhooks',
  about: '',
  async run(say): Promise<readonly Measurement[]> {
    const bench = await Bench.start();
    const tenants: Actor[] = [];
    for (let i = 0; i < TENANTS; i++) tenants.push(await bench.subscriber(`/s/${i}`));
    const only = process.env.BENCH_ONLY;
    const measured = [
      ...(!only || only === 'rate' ? await throughput(bench, tenants, say) : []),
      ...(!only || only === 'latency' ? await besideTheDead(bench, say) : []),
      ...(!only || only === 'memory' ? await memory(bench, tenants, say) : []),
    ];
    await bench.close();
    return measured;
  },
};
