import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ContractDirectory, Deployments, Indexer, type ChainProjector } from '#chain';
import { startTestAnvil, type TestAnvil } from '#chain/testing';
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
import { type DemoTenant, readDemoFile } from '../apps/cli/src/demo/demo-file.js';
import { readScenario } from '../apps/cli/src/demo/scenario.js';
import { ChainWriter } from './indexer-chain.js';
import { processorTime } from './processor-time.js';

const noise = (): void => undefined;
export const provided = <T>(service: RunningService, type: Type<T>): T => service.app.get(type, { strict: false });

/** Of the worker, in its order. */
const HANDLERS: readonly Type<ChainProjector>[] = [
  WalletsProjector,
  TraceabilityProjector,
  CustodyProjector,
  RecallProjector,
  TransactionsProjector,
];

export interface Backfill {
  readonly seconds: number;
  readonly processor: number;
  /** Of them, this process's and the database's. */
  readonly ours: number;
  readonly database: number;
  readonly peak: number;
  readonly requests: number;
}

/** The service's own indexer, handlers and pool, from the first look at the node until the last block is committed. */
export async function backfill(service: RunningService, url: string, to: number): Promise<Backfill> {
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

/**
 * Only the indexer is measured: no topics are relayed, no transactions watched, no alerts evaluated and no reports cached, because the
 * raw limit does none of that either.
 */
export async function rest(service: RunningService): Promise<void> {
  await provided(service, OutboxRelay).beforeApplicationShutdown();
  await provided(service, TransactionWatcher).onApplicationShutdown();
  await provided(service, JobQueue as Type<JobQueue>).close();
}

export interface IndexedChain {
  readonly service: RunningService;
  readonly node: TestAnvil;
  readonly writer: ChainWriter;
  readonly tenant: DemoTenant;
}

/** A service on a node of its own with the demo tenants, and what writes real transactions of a company of the first of them. */
export async function withIndexedChain<T>(run: (world: IndexedChain) => Promise<T>): Promise<T> {
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
  try {
    await seedDemo(config, { baseUrl: service.baseUrl, rpcUrl: node.url }, noise);
    const tenant = readDemoFile(folder)!.tenants[0]!;
    const { slug, contract, actors } = tenant;
    const farm = actors['farmA']!;
    const at = { chainId: config.chain.chainId, contract, from: farm.address };
    const { processType } = readScenario(slug).steps[0] as { processType: string };
    const writer = await ChainWriter.open(node.url, at, provided(service, ContentStore as Type<ContentStore>), processType);
    return await run({ service, node, writer, tenant });
  } finally {
    await service.close();
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
