import { configFrom, type WebhooksConfig } from '#config';
import type { Actor } from '#kernel';
import type { QueueEngine } from '#queue';
import { setTimeout as pause } from 'node:timers/promises';
import { findRedis, startRedis } from '../test/engines/queue-redis.js';
import { type Measurement, type Scenario, median } from './report.js';
import { Bench, type Cost, type Usage } from './webhooks/bench.js';

const TENANTS = 50;
const DELIVERIES = 10_000;
const ROUNDS = 5;
const MANY = 100_000;
const DEAD = 10_000;
/** Longer than it takes a worker to see that a receiver is not only busy. */
const DEAD_FOR_MS = 15_000;

type Say = (line: string) => void;

const settings: WebhooksConfig = configFrom({ NODE_ENV: 'test' }).webhooks;

async function throughput(bench: Bench, tenants: readonly Actor[], say: Say): Promise<Measurement[]> {
  const redis = findRedis();
  const runningRedis = redis ? await startRedis(redis) : null;
  if (!runningRedis) say('no redis-server on the path: that backend is left out');
  const backends: [string, QueueEngine][] = [
    ['PostgreSQL', { kind: 'database', at: bench.endpoint }],
    ...(runningRedis ? [['Redis', runningRedis.engine] as [string, QueueEngine]] : []),
  ];
  const bare: Cost[] = [];
  const costs = new Map<string, Cost[]>(backends.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    const runs = [
      async () => void bare.push(await bench.bare(DELIVERIES, settings.concurrency)),
      ...backends.map(([name, queue]) => async () => {
        const worker = await bench.worker(queue, settings);
        costs.get(name)!.push(await bench.rate(tenants, DELIVERIES));
        await worker.end();
      }),
    ];
    // Each kind goes first as often as last: tables grow, and the machine does other things too.
    for (const run of round % 2 === 0 ? runs : runs.toReversed()) await run();
    say(`round ${round + 1}: ${[['bare', bare] as const, ...costs].map(([name, all]) => `${name} ${said(all.at(-1)!)}`).join(', ')}`);
  }
  await runningRedis?.stop();
  const middle = (values: readonly (number | null)[]): number => median(values.map((value) => value ?? Number.NaN));
  const of = (all: readonly Cost[], key: keyof Cost): number => middle(all.map((cost) => cost[key]));
  return [
    { what: `bare loop, ${settings.concurrency} at once`, value: of(bare, 'perSecond'), unit: 'deliveries/s' },
    { what: 'its CPU time', value: of(bare, 'cpuMs'), unit: 'ms/delivery' },
    ...[...costs].flatMap(([name, all]) => [
      { what: `deliveries, queue on ${name}`, value: of(all, 'perSecond'), unit: 'deliveries/s' },
      {
        what: `ratio, queue on ${name}`,
        value: middle(all.map(({ perSecond }, i) => perSecond / bare[i]!.perSecond)),
        unit: '',
        limit: HALF,
      },
      { what: `CPU time, queue on ${name}`, value: of(all, 'cpuMs'), unit: 'ms/delivery' },
      {
        what: `ratio of CPU time, queue on ${name}`,
        value: middle(all.map(({ cpuMs }, i) => bare[i]!.cpuMs! / cpuMs!)),
        unit: '',
        limit: HALF,
      },
    ]),
  ];
}

const HALF = 'at least 0.5 of the bare loop';
const said = ({ perSecond, cpuMs }: Cost): string => `${perSecond.toFixed(0)}/s at ${cpuMs?.toFixed(3)} ms CPU`;

async function latencyWithDeadSink(bench: Bench, say: Say): Promise<Measurement[]> {
  const healthy = await bench.subscriber('/timed');
  const serials = { next: 1 };
  const worker = await bench.worker({ kind: 'database', at: bench.endpoint }, settings);
  await bench.latencies(healthy, serials); // warms up
  const alone = [await bench.latencies(healthy, serials)];
  const duringRetries: (readonly number[])[] = [];
  let pending = 0;
  for (const path of ['/dead/1', '/dead/2']) {
    const dead = await bench.subscriber(path);
    await bench.fail(dead, DEAD);
    await pause(DEAD_FOR_MS);
    pending = await bench.waiting();
    duringRetries.push(await bench.latencies(healthy, serials));
    await bench.unsubscribe(dead);
    alone.push(await bench.latencies(healthy, serials));
    say(`alone ${medians(alone.slice(-2))}; during ${pending} pending retries ${medians(duringRetries.slice(-1))}`);
  }
  await worker.end();
  const [without, withDead] = [median(alone.flat()), median(duringRetries.flat())];
  return [
    { what: 'healthy subscription alone, message committed to message received, median', value: without, unit: 'ms', note: medians(alone) },
    { what: `the same during ${pending} pending retries of a dead sink`, value: withDead, unit: 'ms', note: medians(duringRetries) },
    { what: 'ratio', value: withDead / without, unit: '', limit: 'at most 1.2' },
  ];
}

const medians = (phases: readonly (readonly number[])[]): string => `${phases.map((all) => median(all).toFixed(2)).join(', ')} ms`;

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

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

export const scenario: Scenario = {
  name: 'webhooks',
  about: `Deliveries through relay, lease, signature, POST and settlement, one subscription for each of ${TENANTS} tenants, compared with a bare loop that does the same POST and one insert, with the same concurrency and pool size, on the same database and to the same receiver; ${ROUNDS} alternating rounds of ${DELIVERIES}. Receiver, loop, worker and database are separate processes on the same cores, and other load on the machine disturbs wall time. So the CPU time of all of them per delivery is given too. A ratio is the median of the ratios of the rounds. Latencies are those of 300 messages at a time, alternately alone and during the retries of a sink that is down.`,
  async run(say): Promise<readonly Measurement[]> {
    const bench = await Bench.start();
    const tenants: Actor[] = [];
    for (let i = 0; i < TENANTS; i++) tenants.push(await bench.subscriber(`/s/${i}`));
    try {
      const parts = {
        throughput: () => throughput(bench, tenants, say),
        dead: () => latencyWithDeadSink(bench, say),
        memory: () => memory(bench, tenants, say),
      };
      const asked = process.env.WEBHOOKS_PARTS?.split(',');
      const measured: Measurement[] = [];
      for (const [name, part] of Object.entries(parts)) if (asked?.includes(name) ?? true) measured.push(...(await part()));
      return measured;
    } finally {
      await bench.close();
    }
  },
};
