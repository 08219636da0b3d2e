import { configFrom, type WebhooksConfig } from '#config';
import type { Actor } from '#kernel';
import type { QueueEngine } from '#queue';
import { setTimeout as pause } from 'node:timers/promises';
import { findRedis, startRedis } from '../test/engines/queue-redis.js';
import { type Measurement, type Scenario, median } from './report.js';
import { Bench, type Usage } from './webhooks/bench.js';

const TENANTS = 50;
const DELIVERIES = 10_000;
const ROUNDS = 5;
const MANY = 100_000;
const DEAD = 10_000;

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
  const bareRates: number[] = [];
  const rates = new Map<string, number[]>(backends.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    bareRates.push(await bench.bare(DELIVERIES, settings.concurrency));
    for (const [name, queue] of backends) {
      const worker = await bench.worker(queue, settings);
      rates.get(name)!.push(await bench.rate(tenants, DELIVERIES));
      await worker.end();
    }
    say(
      `round ${round + 1}: bare ${bareRates.at(-1)!.toFixed(0)}/s, ${[...rates].map(([name, all]) => `${name} ${all.at(-1)!.toFixed(0)}/s`).join(', ')}`,
    );
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
  say(
    `alone ${alone.map((ms) => ms.toFixed(2)).join(', ')} ms; beside ${pending} pending retries ${beside.map((ms) => ms.toFixed(2)).join(', ')} ms`,
  );
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

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

export const scenario: Scenario = {
  name: 'webhooks',
  about:
    'Deliveries through relay, claim, signature, POST and settlement, one subscription for each of 50 tenants, beside a bare loop that does the same POST and one insert, with as many at once and as large a pool, on the same database and to the same receiver. Receiver, loop and worker are processes of their own on the same cores. Rounds alternate; ratios are of the medians.',
  async run(say): Promise<readonly Measurement[]> {
    const bench = await Bench.start();
    const tenants: Actor[] = [];
    for (let i = 0; i < TENANTS; i++) tenants.push(await bench.subscriber(`/s/${i}`));
    try {
      return [...(await throughput(bench, tenants, say)), ...(await besideTheDead(bench, say)), ...(await memory(bench, tenants, say))];
    } finally {
      await bench.close();
    }
  },
};
