import { findRedis, startRedis } from '../test/engines/queue-redis.js';
import { backfill, rest, provided, withIndexedChain } from './indexer-service.js';
import { Indexer } from '#chain';
import { configFrom } from '#config';
import { withClient } from '#persistence';
import { indexWithPonder } from './peers/ponder.js';
import { Side, alternate, databaseOf } from './reads-side.js';
import { type Measurement, type Scenario, median } from './report.js';
import { Bench, type Cost } from './webhooks/bench.js';
import { Child } from './webhooks/child.js';

const LOGS = Number(process.env['PEERS_LOGS'] ?? 20_000);
const DELIVERIES = Number(process.env['PEERS_DELIVERIES'] ?? 5_000);
const TENANTS = 50;
const ROUNDS = Number(process.env['PEERS_ROUNDS'] ?? 3);

/** Each takes minutes. */
const PARTS = (process.env['PEERS_PARTS'] ?? 'reads,indexers,deliveries').split(',');

type Say = (line: string) => void;

export const scenario: Scenario = {
  name: 'peers',
  about: [
    'What somebody would take instead of a part of this service, on the same work, engines and machine in one run. Each does less, as said: the figures are what that costs here.',
    '**Reads**: PostgREST is not on npm, so a route of bare Fastify does what it does: role and tenant for a transaction, and one statement over the published view whose JSON PostgreSQL makes. It checks no credential, and gives the columns of the view without labels, places, documents and totals.',
    `**Indexer**: Ponder 0.16.10 (fetched from npm for this measurement) on the same node and PostgreSQL, ${LOGS} logs: a handler that writes one row for each log. This service checks the content of every event, folds logs into versions of lots, and writes about four rows a log under row-level security. Its figure has the start of its program in it, as it is started for a backfill; seconds of processor time are those of all processes.`,
    `**Deliveries**: jobs of BullMQ 6 on the same Redis, with the body in the job, signed and repeated by its own options; ${DELIVERIES} a round. It has no outbox in the transaction, no fair shares and no history that can be asked for.`,
  ].join(' '),
  async run(say) {
    const measurements: Measurement[] = [];
    for (const [name, part] of Object.entries({ reads, indexers, deliveries }))
      if (PARTS.includes(name)) measurements.push(...(await part(say)));
    return measurements;
  },
};

async function reads(say: Say): Promise<Measurement[]> {
  const own = await Side.start(process.cwd(), false);
  const endpoint = databaseOf(own.at);
  const tenantId = await withClient(endpoint, async (client) => {
    await client.query('set role trace_system');
    return (await client.query<{ id: string }>(`select tenant_id as id from identity.tenant_v1 where slug = 'rice'`)).rows[0]!.id;
  });
  const peer = await Child.start<{ address: string }>('../peers/json-route', { endpoint, tenantId });
  try {
    const measurements: Measurement[] = [];
    for (const [what, path, other] of [
      ['a lot', `/api/v1/nfts/${own.at.lot}`, `/lots/${own.at.lot}`],
      ['a list of lots', '/api/v1/nfts?limit=20', '/lots'],
    ] as const) {
      const pairs = await alternate(
        () => own.cost(path),
        () => own.cost(other, peer.said.address, peer.child.child.pid),
      );
      const sums = pairs.map(([one, two]) => [one.service + one.database, two.service + two.database] as const);
      const ratio = median(sums.map(([one, two]) => one / two));
      const [ours, theirs] = [median(sums.map(([one]) => one)), median(sums.map(([, two]) => two))];
      say(`${what}: ${ours.toFixed(0)} µs, PostgREST-like ${theirs.toFixed(0)} µs, ${ratio.toFixed(2)} ×`);
      measurements.push(
        { what: `${what}: this service and its PostgreSQL`, value: ours, unit: 'µs' },
        { what: `${what}: a PostgREST-like route and the same PostgreSQL`, value: theirs, unit: 'µs' },
        { what: `${what}: ratio`, value: ratio, unit: '×' },
      );
    }
    return measurements;
  } finally {
    await peer.child.end();
    own.end();
  }
}

function indexers(say: Say): Promise<Measurement[]> {
  return withIndexedChain(async ({ service, node, writer, tenant }) => {
    await provided(service, Indexer).stop();
    await rest(service);
    const { from, to } = await writer.write(LOGS, say);
    const ours = await backfill(service, node.url, to);
    const { chainId } = service.config.chain;
    const run = { rpcUrl: node.url, chainId, contract: tenant.contract, from, to, endpoint: service.engines.database };
    const ponder = await indexWithPonder(run, LOGS);
    say(
      `indexer: ${ours.seconds.toFixed(1)} s (${ours.processor.toFixed(1)} s), Ponder ${ponder.seconds.toFixed(1)} s (${ponder.processor.toFixed(1)} s)`,
    );
    return [
      { what: 'indexer: this service', value: LOGS / ours.seconds, unit: 'logs/s' },
      { what: 'indexer: this service, processor time', value: (1000 * ours.processor) / LOGS, unit: 'ms/log' },
      { what: 'indexer: Ponder', value: LOGS / ponder.seconds, unit: 'logs/s' },
      { what: 'indexer: Ponder, processor time', value: (1000 * ponder.processor) / LOGS, unit: 'ms/log' },
      { what: 'indexer: this service, of Ponder', value: ponder.seconds / ours.seconds, unit: '×', limit: 'at least 4' },
      { what: 'indexer: of Ponder by processor time', value: ponder.processor / ours.processor, unit: '×' },
    ];
  });
}

async function deliveries(say: Say): Promise<Measurement[]> {
  const program = findRedis();
  if (!program) {
    say('no redis-server on the path: deliveries are left out');
    return [];
  }
  const redis = await startRedis(program);
  const bench = await Bench.start();
  try {
    if (redis.engine.kind !== 'redis') throw new Error('a queue on Redis was asked for');
    const port = Number(new URL(redis.engine.url).port);
    const settings = configFrom({ NODE_ENV: 'test' }).webhooks;
    const tenants = await Promise.all(Array.from({ length: TENANTS }, () => bench.subscriber('/bare')));
    const [ours, theirs]: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      theirs.push(await bench.jobs(port, DELIVERIES, settings.concurrency));
      const worker = await bench.worker(redis.engine, settings);
      ours.push(await bench.rate(tenants, DELIVERIES));
      await worker.end();
    }
    const of = (costs: readonly Cost[], part: keyof Cost): number => median(costs.map((cost) => cost[part] ?? Number.NaN));
    say(`deliveries: ${of(ours, 'cpuMs').toFixed(3)} ms, BullMQ ${of(theirs, 'cpuMs').toFixed(3)} ms`);
    return [
      { what: 'deliveries: this service, queue on Redis', value: of(ours, 'perSecond'), unit: 'deliveries/s' },
      { what: 'deliveries: this service, processor time', value: of(ours, 'cpuMs'), unit: 'ms/delivery' },
      { what: 'deliveries: jobs of BullMQ', value: of(theirs, 'perSecond'), unit: 'deliveries/s' },
      { what: 'deliveries: jobs of BullMQ, processor time', value: of(theirs, 'cpuMs'), unit: 'ms/delivery' },
      { what: 'deliveries: ratio of processor time', value: median(ours.map(({ cpuMs }, i) => cpuMs! / theirs[i]!.cpuMs!)), unit: '×' },
    ];
  } finally {
    await bench.close();
    await redis.stop();
  }
}
