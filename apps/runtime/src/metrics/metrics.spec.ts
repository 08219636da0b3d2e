import { describe, expect, it } from '@jest/globals';
import { ChainMetrics, type IndexerStatus } from '#chain';
import { Exposition } from '../../../../test/harness/prometheus-text.js';
import { Metrics } from './metrics.js';
import type { MetricSources } from './sources.js';

const following: IndexerStatus = { state: 'following', detail: null, head: 41, final: 40, nodeHead: 43, lag: 2 };
const idle: MetricSources = {
  chain: new ChainMetrics(),
  indexer: { status: following },
  queue: { topics: ['wake-up'], counts: () => Promise.resolve({ waiting: 3, failed: 0 }) },
  pool: () => ({ size: 10, open: 4, idle: 1, waiting: 7 }),
  clock: { offsetMs: -1_500 },
  health: {
    readiness: () =>
      Promise.resolve({
        status: 'degraded',
        down: ['chain'],
        checks: { database: { state: 'up', required: true, ms: 1 }, chain: { state: 'down', required: false, ms: 1 } },
      }),
  },
  backlog: () =>
    Promise.resolve({
      retractions: { waiting: 0, announced: 3 },
      outbox: { waiting: 2, waitingSeconds: 1.5, unfinal: 0, unfinalSeconds: null },
      deliveries: { due: 5, oldestSeconds: 30 },
      sponsor: { balance: 1.5, seenSeconds: 4, queued: 2, oldestQueuedSeconds: null, sent: 1, spent: 0.25 },
      consumers: { consumers: 1, mostBehind: 4, oldestSeconds: 9 },
    }),
};

const metricsWith = (changes: Partial<MetricSources> | null): Metrics => {
  const metrics = new Metrics({ role: 'worker' });
  if (changes) metrics.watch({ ...idle, ...changes });
  return metrics;
};
const scrape = async (metrics: Metrics): Promise<Exposition> => Exposition.parse(await metrics.text());

describe('the metrics of a process', () => {
  it('are there before the application is, without a value where it is needed', async () => {
    const exposition = await scrape(metricsWith(null));
    expect(exposition.value('traceability_info', { role: 'worker' })).toBe(1);
    expect(exposition.value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(exposition.types.get('traceability_chain_lag_blocks')).toBe('gauge');
    const own = exposition.samples.filter(({ name }) => name.startsWith('traceability_') && name !== 'traceability_info');
    // What the process counts itself begins at zero: a rate would miss the first count of what appears with it.
    expect(new Set(own.map(({ name, value }) => `${name} ${value}`))).toEqual(
      new Set(['traceability_webhook_attempts_total 0', 'traceability_webhook_deliveries_total 0']),
    );
  });

  it('read each source when they are scraped', async () => {
    const exposition = await scrape(metricsWith({}));
    expect(exposition.value('traceability_engine_up', { engine: 'database' })).toBe(1);
    expect(exposition.value('traceability_engine_up', { engine: 'chain' })).toBe(0);
    expect(exposition.value('traceability_queue_jobs', { topic: 'wake-up', state: 'waiting' })).toBe(3);
    expect(exposition.value('traceability_database_pool_size')).toBe(10);
    expect(exposition.value('traceability_database_pool_connections', { state: 'used' })).toBe(3);
    expect(exposition.value('traceability_database_pool_waiting')).toBe(7);
    expect(exposition.value('traceability_clock_offset_seconds')).toBe(-1.5);
    expect(exposition.value('traceability_outbox_topics', { state: 'waiting' })).toBe(2);
    expect(exposition.value('traceability_outbox_oldest_seconds', { state: 'waiting' })).toBe(1.5);
    expect(exposition.all('traceability_outbox_oldest_seconds', { state: 'unfinal' })).toEqual([]);
    expect(exposition.value('traceability_webhook_deliveries_due')).toBe(5);
    expect(exposition.value('traceability_webhook_oldest_due_seconds')).toBe(30);
    expect(exposition.value('traceability_chain_block', { position: 'final' })).toBe(40);
    expect(exposition.value('traceability_chain_lag_blocks')).toBe(2);
    expect(exposition.value('traceability_sponsor_balance_ether')).toBe(1.5);
    expect(exposition.value('traceability_sponsor_relays', { state: 'sent' })).toBe(1);
    expect(exposition.all('traceability_sponsor_oldest_queued_seconds')).toEqual([]);
  });

  it('do not count what the scrape itself asks of the pool', async () => {
    const asked: string[] = [];
    const noting = <Args extends unknown[], T>(what: string, ask: (...args: Args) => T): ((...args: Args) => T) => {
      return (...args) => {
        asked.push(what);
        return ask(...args);
      };
    };
    const health = { readiness: noting('health', idle.health.readiness) };
    await scrape(metricsWith({ pool: noting('pool', idle.pool), backlog: noting('backlog', idle.backlog), health }));
    expect(asked).toEqual(['pool', 'pool', 'pool', 'health', 'backlog']);
  });

  it('show one state of the indexer, and nothing of blocks where another process writes', async () => {
    const exposition = await scrape(metricsWith({ indexer: { status: { ...following, state: 'standby' } } }));
    const states = exposition.all('traceability_indexer_state');
    expect(states.filter(({ value }) => value === 1).map(({ labels }) => labels.state)).toEqual(['standby']);
    expect(states.filter(({ value }) => value === 0).length).toBe(states.length - 1);
    expect(exposition.all('traceability_chain_lag_blocks')).toEqual([]);
    expect((await scrape(metricsWith({ indexer: null }))).all('traceability_indexer_state')).toEqual([]);
  });

  it('count what the chain did, as often as they are scraped', async () => {
    const chain = new ChainMetrics();
    chain.reorganised(3);
    for (const reason of ['timeout', 'timeout', 'http']) chain.failed('node.example:8545', reason);
    const metrics = metricsWith({ chain });
    await scrape(metrics);
    const exposition = await scrape(metrics);
    expect(exposition.value('traceability_chain_reorgs_total')).toBe(1);
    expect(exposition.value('traceability_chain_blocks_taken_back_total')).toBe(3);
    expect(exposition.value('traceability_chain_rpc_errors_total', { endpoint: 'node.example:8545', reason: 'timeout' })).toBe(2);
    expect(exposition.value('traceability_chain_rpc_errors_total', { reason: 'http' })).toBe(1);
  });

  it('count attempts by outcome and by what they left behind', async () => {
    const metrics = metricsWith({});
    metrics.attempts.settled('timeout', 'retrying');
    metrics.attempts.settled('success', 'delivered');
    metrics.attempts.settled('timeout', 'failed');
    const exposition = await scrape(metrics);
    expect(exposition.value('traceability_webhook_attempts_total', { outcome: 'timeout' })).toBe(2);
    expect(exposition.value('traceability_webhook_deliveries_total', { status: 'delivered' })).toBe(1);
  });

  it('say which source is missing, and tell the others', async () => {
    const exposition = await scrape(metricsWith({ backlog: () => Promise.reject(new Error('connect ECONNREFUSED')) }));
    expect(exposition.value('traceability_metrics_source_up', { source: 'backlog' })).toBe(0);
    expect(exposition.value('traceability_metrics_source_up', { source: 'queue' })).toBe(1);
    expect(exposition.all('traceability_webhook_deliveries_due')).toEqual([]);
    expect(exposition.value('traceability_chain_lag_blocks')).toBe(2);
  });
});
