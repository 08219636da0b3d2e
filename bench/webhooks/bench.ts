import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { WebhooksConfig } from '#config';
import { type Actor, newId } from '#kernel';
import { migrate, openDatabase, type PostgresEndpoint, releaseOutbox, startEmbeddedPostgres, UnitOfWork } from '#persistence';
import { anyMessage } from '#persistence/testing';
import type { QueueEngine } from '#queue';
import { webhooksPersistence } from '#webhooks';
import { tenantAdmin, WebhooksWorld } from '../../test/engines/webhooks-world.js';
import type { BullmqRun } from '../peers/bullmq-jobs.js';
import type { BareRun } from './bare-loop.js';
import { Child } from './child.js';
import { cpuOfChildren } from './cpu.js';
import type { WorkerRun } from './worker.js';

const SAMPLES = 300;
const MIXED = 5;
const CHAIN = 31_337;

export interface Usage {
  readonly rss: number;
  readonly heapUsed: number;
}

export interface Cost {
  readonly perSecond: number;
  /** Milliseconds of CPU for each, in all processes of the measurement together; null where the machine does not tell. */
  readonly cpuMs: number | null;
}

function costOf(deliveries: number, ms: number, cpuBefore: number | null): Cost {
  const cpu = cpuOfChildren();
  return { perSecond: (deliveries * 1_000) / ms, cpuMs: cpu === null || cpuBefore === null ? null : (cpu - cpuBefore) / deliveries };
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

/** The context's own database, its API in this process, and a receiver in another. */
export class Bench {
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
    const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
    await migrate(server.endpoint, [webhooksPersistence]);
    const dataSource = await openDatabase(server.endpoint, [webhooksPersistence]);
    const api = await WebhooksWorld.start(server.endpoint, { subscriptionsPerTenant: 1_000 }, false);
    const { child, said } = await Child.start<{ port: number }, { taken: number }>('sink');
    await dataSource.query(
      'create table bare_delivery (id uuid primary key, url text, status_code int, body text, created_at timestamptz)',
    );
    return new Bench(server.endpoint, new UnitOfWork(dataSource), api, child, `http://127.0.0.1:${said.port}`, [
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

  /** As if each of so many facts had been tried once and failed: retries that come due over the next half minute. */
  async fail(tenant: Actor, deliveries: number): Promise<void> {
    const { taken } = await this.sink.ask();
    await this.prepare([tenant], deliveries);
    await this.release();
    while ((await this.sink.ask()).taken === taken) await pause(20);
    await this.unitOfWork.asSystem((tx) =>
      tx.sql(
        `update webhooks.delivery set status = 'retrying', attempt = 1, next_attempt_at = now() + random() * interval '30 seconds'
         where tenant_id = $1 and status = 'pending'`,
        [tenant.tenantId],
      ),
    );
  }

  async unsubscribe(tenant: Actor): Promise<void> {
    const admin = this.api.as(tenant);
    for (const { id } of (await admin.call<{ id: string }[]>('GET', '')).body) await admin.call('DELETE', `/${id}`);
  }

  /** Facts of a block that is not final yet, those of all tenants mixed as they come. */
  async prepare(tenants: readonly Actor[], each: number): Promise<void> {
    const number = ++this.block;
    for (let serial = 0; serial < each; serial += MIXED)
      for (const { tenantId } of tenants)
        await this.unitOfWork.inTransaction({ tenantId }, (tx) =>
          tx.publish(
            Array.from({ length: Math.min(MIXED, each - serial) }, (_, i) =>
              anyMessage('nft.created', fact(serial + i), { key: newId(), occurredAt: new Date(), block: { chainId: CHAIN, number } }),
            ),
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

  async bare(deliveries: number, inFlight: number): Promise<Cost> {
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
    const { child } = await Child.start<{ ready: true }, { ms: number }>('bare-loop', run);
    const before = cpuOfChildren();
    const { ms } = await child.ask();
    const cost = costOf(deliveries, ms, before);
    await child.end();
    return cost;
  }

  /** The same deliveries as jobs of BullMQ alone (`peers/bullmq-jobs.ts`). @param port of Redis */
  async jobs(port: number, deliveries: number, inFlight: number): Promise<Cost> {
    const body = { event: 'nft.created', timestamp: new Date().toISOString(), data: fact(1) };
    const run: BullmqRun = { redis: { host: '127.0.0.1', port }, url: `${this.sinkUrl}/bare`, body, deliveries, inFlight };
    const { child } = await Child.start<{ ready: true }, { ms: number }>('../peers/bullmq-jobs', run);
    const before = cpuOfChildren();
    const { ms } = await child.ask();
    const cost = costOf(deliveries, ms, before);
    await child.end();
    return cost;
  }

  async worker(queue: QueueEngine, webhooks: WebhooksConfig): Promise<Child<Usage>> {
    const run: WorkerRun = { endpoint: this.endpoint, queue, webhooks };
    return (await Child.start<{ ready: true }, Usage>('worker', run)).child;
  }

  async rate(tenants: readonly Actor[], deliveries: number): Promise<Cost> {
    await this.prepare(tenants, deliveries / tenants.length);
    const { taken } = await this.sink.ask();
    const before = cpuOfChildren();
    const from = performance.now();
    await this.release();
    await this.taken(taken, deliveries);
    return costOf(deliveries, performance.now() - from, before);
  }

  /** Milliseconds from the commit of each fact to its arrival, one fact at a time. */
  async latencies({ tenantId }: Actor, serials: { next: number }): Promise<readonly number[]> {
    const arrived = new Map<number, number>();
    const note = (said: { serial?: number; at?: number }): void => {
      if (said.serial !== undefined) arrived.set(said.serial, said.at!);
    };
    this.sink.child.on('message', note);
    const latencies: number[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      const serial = serials.next++;
      await this.unitOfWork.inTransaction({ tenantId }, (tx) =>
        tx.publish([anyMessage('nft.created', fact(serial), { key: newId(), occurredAt: new Date() })]),
      );
      const committed = performance.timeOrigin + performance.now();
      while (!arrived.has(serial)) await pause(1);
      latencies.push(arrived.get(serial)! - committed);
      await pause(15);
    }
    this.sink.child.off('message', note);
    return latencies;
  }
}
