import { setTimeout as pause } from 'node:timers/promises';
import { Indexer } from '#chain';
import { TraceabilityClient } from '#client';
import type { RunningService } from '../apps/api/src/service.js';
import type { ChainWriter } from './indexer-chain.js';
import { RawLimit } from './indexer-limit.js';
import { backfill, provided, rest, withIndexedChain } from './indexer-service.js';
import { type Measurement, type Scenario, median } from './report.js';

const SIZES = (process.env['BENCH_LOGS'] ?? '50000,100000').split(',').map(Number);
const HEADS = Number(process.env['BENCH_HEADS'] ?? 40);
/** The median of so many: the machine is seldom quiet. */
const RAW_RUNS = 3;
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

export const scenario: Scenario = {
  name: 'indexer',
  about:
    'Backfill of real transactions on anvil (6 followed logs each: one event that draws on an earlier lot and makes five; 20 transactions a block; content of every event in the file store) into embedded PostgreSQL by the complete indexer with the projectors of all contexts, compared with the raw limit on the same blocks in the same run: `eth_getLogs`, decode, COPY of the rows that the indexer made, already as text, into tables with the same indexes, the median of three. What the raw limit leaves out: reading content, folding, looking anything up, row-level security, the cursor, more than one transaction. Neither side relays topics, evaluates alerts or caches reports, and the raw limit gets finished rows. Then the head: from the node showing a block to its lot answered by the API.',
  async run(say): Promise<readonly Measurement[]> {
    const results: Measurement[] = [];
    return withIndexedChain(async ({ service, node, writer, tenant }) => {
      const farm = tenant.actors['farmA']!;
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
    });
  },
};
