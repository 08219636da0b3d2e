import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ContractDirectory, Deployments, Indexer, type ChainProjector } from '#chain';
import { startTestAnvil } from '#chain/testing';
import { TraceabilityClient } from '#client';
import { configFrom } from '#config';
import { ContentStore } from '#content-storage';
import { CustodyProjector } from '#custody';
import { WalletsProjector } from '#identity';
import { UnitOfWork } from '#persistence';
import { RecallProjector } from '#recall';
import { TraceabilityProjector } from '#traceability';
import { TransactionsProjector } from '#transactions';
import { TransactionWatcher } from '#transactions/testing';
import { OutboxRelay } from '#webhooks/testing';
import { JobQueue } from '#queue';
import type { Type } from '@nestjs/common';
import { type RunningService, startService } from '../apps/api/src/service.js';
import { seedDemo } from '../apps/cli/src/demo/seed.js';
import { readDemoFile } from '../apps/cli/src/demo/demo-file.js';
import { readScenario } from '../apps/cli/src/demo/scenario.js';
import { ChainWriter } from './indexer-chain.js';
import { RawLimit } from './indexer-limit.js';
import { processorTime } from './processor-time.js';
import { type Measurement, type Scenario, median } from './report.js';

const SIZES = (process.env['BENCH_LOGS'] ?? '50000,100000').split(',').map(Number);
const HEADS = Number(process.env['BENCH_HEADS'] ?? 40);
/** The median of so many: the machine is seldom quiet. */
const RAW_RUNS = 3;
/** Of the worker, in its order. */
const HANDLERS: readonly Type<ChainProjector>[] = [
  WalletsProjector,
  TraceabilityProjector,
  CustodyProjector,
  RecallProjector,
  TransactionsProjector,
];

const noise = (): void => undefined;
const provided = <T>(service: RunningService, type: Type<T>): T => service.app.get(type, { strict: false });

interface Backfill {
  readonly seconds: number;
  readonly processor: number;
  /** Of them, this process's and the database's. */
  readonly ours: number;
  readonly database: number;
  readonly peak: number;
  readonly requests: number;
}

/** The service's own indexer, handlers and pool, from the first look at the node until the last block is committed. */
async function backfill(service: RunningService, url: string, to: number): Promise<Backfill> {
  const parts = {
    unitOfWork: service.app.get(UnitOfWork),
    rpc: service.engines.chain.rpc,
    node: service.engines.chain.node,
    deployments: provided(service, Deployments),
  };
  const indexer = new Indexer(parts, service.config.chain);
  let requests = 0;
  const count = (message: unknown): void => {
    if ((message as { request: { origin: string } }).request.origin === new URL(url).origin) requests++;
  };
  subscribe('undici:request:create', count);
  let peak = process.memoryUsage().rss;
  let polls = 0;
  const processor = processorTime();
  const [ours, database] = [processorTime('self'), processorTime('postgres')];
  const begun = performance.now();
  indexer.start({
    projectors: HANDLERS.map((type) => provided(service, type)),
    directory: provided(service, ContractDirectory as Type<ContractDirectory>),
  });
  while ((indexer.status.head ?? 0) < to) {
    if (indexer.status.state === 'failing' || indexer.status.state === 'stopped') throw new Error(indexer.status.detail ?? 'stopped');
    await pause(10);
    // Reading it costs a tenth of a millisecond, so not at each poll.
    if (polls++ % 5 === 0) peak = Math.max(peak, process.memoryUsage.rss());
  }
  const seconds = (performance.now() - begun) / 1000;
  const used = processorTime() - processor;
  const split = { ours: processorTime('self') - ours, database: processorTime('postgres') - database };
  unsubscribe('undici:request:create', count);
  await indexer.stop();
  return { seconds, processor: used, ...split, peak, requests };
}

/** From the moment in which the node shows the block until its lot is answered over HTTP, in milliseconds. */
async function atTheHead(writer: ChainWriter, ask: (path: string) => Promise<boolean>): Promise<number> {
  const before = await writer.head();
  const token = await writer.one();
  while ((await writer.head()) === before) await pause(1);
  const shown = performance.now();
  while (!(await ask(`/api/v1/nfts/${token}`))) await pause(1);
  return performance.now() - shown;
}

async function caller(service: RunningService, email: string, password: string): Promise<(path: string) => Promise<boolean>> {
  const login = await new TraceabilityClient(service.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', { email, password });
  return async (path) => {
    const response = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${login.accessToken}` } });
    await response.arrayBuffer();
    if (response.ok) return true;
    if (response.status !== 404) throw new Error(`${path}: ${response.status}`);
    return false;
  };
}

/**
 * Only the indexer is measured: no topics are relayed, no transactions watched, no alerts evaluated and no reports cached, because the
 * raw limit does none of that either.
 */
async function rest(service: RunningService): Promise<void> {
  await provided(service, OutboxRelay).beforeApplicationShutdown();
  await provided(service, TransactionWatcher).onApplicationShutdown();
  await provided(service, JobQueue as Type<JobQueue>).close();
}

export const scenario: Scenario = {
  name: 'indexer',
  about:
    'Backfill of real transactions on anvil (6 followed logs each: one event that draws on an earlier lot and makes five; 20 transactions a block; content of every event in the file store) into embedded PostgreSQL by the complete indexer with the projectors of all contexts, compared with the raw limit on the same blocks in the same run: `eth_getLogs`, decode, COPY of the rows that the indexer made, already as text, into tables with the same indexes, the median of three. What the raw limit leaves out: reading content, folding, looking anything up, row-level security, the cursor, more than one transaction. Neither side relays topics, evaluates alerts or caches reports, and the raw limit gets finished rows. Then the head: from the node showing a block to its lot answered by the API.',
  async run(say): Promise<readonly Measurement[]> {
    const folder = mkdtempSync(join(tmpdir(), 'trace-bench-indexer-'));
    const node = await startTestAnvil();
    const config = configFrom({
      DATA_DIR: folder,
      PORT: '0',
      LOG_LEVEL: 'silent',
      CHAIN_RPC_URLS: node.url,
      CHAIN_CLIENT_RPC_URL: node.url,
      CHAIN_CONFIRMATIONS: '1',
      // A local node; a remote one is polled every two seconds by default.
      CHAIN_POLL_MS: '50',
      // One client is the whole load.
      TIERS: '{"sandbox":{"requestsPerMinute":1000000000},"standard":{"requestsPerMinute":1000000000}}',
    });
    const service = await startService(config, noise);
    const results: Measurement[] = [];
    try {
      await seedDemo(config, { baseUrl: service.baseUrl, rpcUrl: node.url }, noise);
      const { slug, contract, actors } = readDemoFile(folder)!.tenants[0]!;
      const farm = actors['farmA']!;
      const at = { chainId: config.chain.chainId, contract, from: farm.address };
      const { processType } = readScenario(slug).steps[0] as { processType: string };
      const writer = await ChainWriter.open(node.url, at, provided(service, ContentStore as Type<ContentStore>), processType);
      const ask = await caller(service, farm.email, farm.password);
      const latencies: number[] = [];
      for (let i = 0; i < HEADS; i++) latencies.push(await atTheHead(writer, ask));
      say(`head: ${latencies.map((ms) => ms.toFixed(0)).join(' ')}`);
      await provided(service, Indexer).stop();
      await rest(service);
      await pause(5_000);
      const idle = process.memoryUsage().rss;
      const limit = await RawLimit.open(service.engines.database);
      for (const size of SIZES) {
        const blocks = await writer.write(size, say);
        const ours = await backfill(service, node.url, blocks.to);
        const raws: Awaited<ReturnType<RawLimit['run']>>[] = [];
        for (let i = 0; i < RAW_RUNS; i++) raws.push(await limit.run(node.url, blocks, true));
        const raw = { ...raws[0]!, seconds: median(raws.map((run) => run.seconds)), processor: median(raws.map((run) => run.processor)) };
        const bare = await limit.run(node.url, blocks, false);
        say(
          `${size}: ours ${ours.seconds.toFixed(2)} s, raw ${raws.map((run) => run.seconds.toFixed(2)).join(', ')} s (processor ${ours.processor.toFixed(2)} and ${raw.processor.toFixed(2)} s; of ours ${ours.ours.toFixed(2)} s this process, ${ours.database.toFixed(2)} s the database), into bare tables ${bare.seconds.toFixed(2)} s`,
        );
        const rows = raw.rows;
        results.push(
          {
            what: `backfill of ${size} logs`,
            value: raw.logs / ours.seconds,
            unit: 'logs/s',
            note: `${ours.seconds.toFixed(1)} s for ${raw.logs} logs, ${rows} rows written by them`,
          },
          { what: `raw limit, ${size} logs`, value: raw.logs / raw.seconds, unit: 'logs/s' },
          { what: `raw limit into tables without indexes, ${size} logs`, value: bare.logs / bare.seconds, unit: 'logs/s' },
          { what: `ratio, ${size} logs`, value: raw.seconds / ours.seconds, unit: '', limit: 'at least 0.6 of the raw limit' },
          {
            what: `ratio of processor time, ${size} logs`,
            value: raw.processor / ours.processor,
            unit: '',
            note: `node, database and chain together: ${ours.processor.toFixed(1)} s of ours, ${raw.processor.toFixed(1)} s of the raw limit`,
          },
          { what: `requests per block, ${size} logs`, value: ours.requests / (blocks.to - blocks.from + 1), unit: '' },
          {
            what: `resident memory over idle at its peak, ${size} logs`,
            value: (ours.peak - idle) / 2 ** 20,
            unit: 'MiB',
            limit: 'under 250',
          },
        );
      }
      await limit.close();
      results.push({
        what: 'head: node shows a block → its lot readable (median)',
        value: median(latencies),
        unit: 'ms',
        limit: 'at most 150',
      });
      return results;
    } finally {
      await service.close();
      await node.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
