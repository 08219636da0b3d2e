import { Client } from 'pg';
import { TraceabilityClient } from '#client';
import { Cluster } from '../test/chaos/cluster.js';
import { createBareTable } from './bare-table.js';
import type { BareApi } from './load/bare-api.js';
import { type Kind, MIX, Mix, type Outcome, requestsOf } from './load/mix.js';
import { Processes, type Sample } from './load/processes.js';
import { type LoadTenant, freshHarvest, makeTenants } from './load/tenants.js';
import { type Measurement, type Scenario, median } from './report.js';
import { Child } from './webhooks/child.js';
import { cpuOfChildren } from './webhooks/cpu.js';

const SECONDS = Number(process.env['LOAD_SECONDS'] ?? 600);
const TENANTS = Number(process.env['LOAD_TENANTS'] ?? 100);
const CONNECTIONS = Number(process.env['LOAD_CONNECTIONS'] ?? 200);
/** A folder that exists: both API processes write a CPU profile of the load into it, and are slower meanwhile. */
const PROFILE = process.env['LOAD_PROFILE'];
const profiling: Readonly<Record<string, string>> = PROFILE
  ? { LOAD_PROFILE: PROFILE, NODE_OPTIONS: `--import=${new URL('./load/profiler.js', import.meta.url).href}` }
  : {};
/** Of the time of the load; by a third of it everything has been compiled, cached and pooled that will be. */
const [WARM_UP, BARE] = [0.1, 0.1];
const SAMPLE_MS = Math.max(500, (SECONDS * 1_000) / 120);
/** Resident memory of the last third over that of the second third. */
const FLAT = 1.15;

type Say = (line: string) => void;

interface Measured extends Outcome {
  /** Milliseconds of processor time of everything but the sender; null where the machine does not tell. */
  readonly worked: number | null;
}

async function measured(mix: Mix, target: Parameters<Mix['run']>[0], seconds: number): Promise<Measured> {
  const before = cpuOfChildren();
  const outcome = await mix.run(target, seconds);
  const after = cpuOfChildren();
  return { ...outcome, worked: before === null || after === null ? null : after - before };
}

const rate = (outcome: Outcome): number => requestsOf(outcome) / outcome.seconds;
const cost = (outcome: Measured): number => (outcome.worked ?? Number.NaN) / requestsOf(outcome);

/** Two processes with the bare routes, on the engines and with the rows of the cluster. */
async function startBare(
  { postgres, environment }: Cluster,
  tenants: readonly LoadTenant[],
  apiUrl: string,
): Promise<{ urls: string[]; end(): Promise<void> }> {
  const api = new TraceabilityClient(apiUrl, tenants[0]);
  const { preparedTx } = await api.events.prepare(freshHarvest(999_999));
  await createBareTable(postgres.endpoint);
  const client = new Client({ ...postgres.endpoint });
  await client.connect();
  await client.query(
    'create table bare_read (kind text, id text, body jsonb not null, primary key (kind, id)); grant all on bare_read to trace_system',
  );
  // As wide as the answers of the service: the body of one tenant is stored under the ids of all.
  const bodies = { lot: await api.get(`/api/v1/nfts/${tenants[0]!.lots[0]!}`), event: await api.events.get(tenants[0]!.events[0]!) };
  for (const [kind, ids] of [
    ['lot', tenants.flatMap(({ lots }) => lots.map(String))],
    ['event', tenants.flatMap(({ events }) => events)],
  ] as const)
    await client.query('insert into bare_read select $1, id, $3 from (select distinct unnest($2::text[]) as id) as ids', [
      kind,
      ids,
      bodies[kind],
    ]);
  await client.query('analyze bare_read');
  await client.end();
  const settings: BareApi = {
    endpoint: postgres.endpoint,
    rpcUrl: environment['CHAIN_RPC_URLS']!,
    call: { from: tenants[0]!.sender.address, to: preparedTx.to, data: preparedTx.data },
  };
  const children = await Promise.all([1, 2].map(() => Child.start<{ port: number }>('../load/bare-api', settings)));
  return {
    urls: children.map(({ said }) => `http://127.0.0.1:${said.port}`),
    end: async () => void (await Promise.all(children.map(({ child }) => child.end()))),
  };
}

async function run(say: Say): Promise<readonly Measurement[]> {
  // Only processes of the service deliver and relay.
  const [cluster, sink] = await Promise.all([
    Cluster.start({ DATABASE_TIMEOUT_MS: '60000', CHAIN_TIMEOUT_MS: '60000', ...profiling }, 0),
    Child.start<{ port: number }, { taken: number }>('sink'),
  ]);
  try {
    const from = performance.now();
    const tenants = await makeTenants(cluster, TENANTS, `http://127.0.0.1:${sink.said.port}`);
    const filling = (performance.now() - from) / 1_000;
    say(`${TENANTS} tenants filled in ${filling.toFixed(1)} s`);
    const bare = await startBare(cluster, tenants, cluster.baseUrls[0]!);
    const processes = new Processes({
      api: 'apps/api/src/main.js',
      worker: 'apps/worker/src/main.js',
      anvil: 'anvil',
      redis: 'redis-server',
    });
    const mix = new Mix(tenants, CONNECTIONS);
    const [service, bareTarget] = [
      { baseUrls: cluster.baseUrls, kind: 'service' } as const,
      { baseUrls: bare.urls, kind: 'bare' } as const,
    ];
    await mix.run(bareTarget, SECONDS * WARM_UP * 0.5);
    await mix.run(service, SECONDS * WARM_UP);
    const bareRuns = [await measured(mix, bareTarget, SECONDS * BARE)];
    say(`bare ${rate(bareRuns[0]!).toFixed(0)}/s`);
    const [before, takenBefore] = [processes.sample(), (await sink.child.ask()).taken];
    if (PROFILE) processes.signal('api', 'SIGUSR2');
    processes.watch(SAMPLE_MS);
    const load = await measured(mix, service, SECONDS);
    processes.stop();
    if (PROFILE) processes.signal('api', 'SIGUSR2');
    const [after, taken] = [processes.sample(), (await sink.child.ask()).taken - takenBefore];
    say(`load ${rate(load).toFixed(0)}/s, faults: ${JSON.stringify(Object.fromEntries(load.faults))}`);
    bareRuns.push(await measured(mix, bareTarget, SECONDS * BARE));
    await bare.end();
    const delivered = { what: 'webhooks delivered meanwhile', value: taken / load.seconds, unit: 'deliveries/s' };
    return [
      { what: `filling ${TENANTS} tenants`, value: filling, unit: 's', limit: 'under 60' },
      ...throughput(load, bareRuns),
      delivered,
      ...workOf(before, after, load),
      ...latencies(load),
      ...memories(processes.samples),
    ];
  } finally {
    await sink.child.end();
    await cluster.close();
  }
}

function throughput(load: Measured, bareRuns: readonly Measured[]): Measurement[] {
  const bare = { rate: median(bareRuns.map(rate)), cost: median(bareRuns.map(cost)) };
  const faults = [...load.faults.values()].reduce((sum, n) => sum + n, 0);
  return [
    { what: 'requests answered', value: requestsOf(load), unit: 'requests' },
    { what: 'refused by a limit (429)', value: load.limited, unit: 'requests' },
    { what: 'every other refusal or fault', value: faults, unit: 'requests', limit: '0', ...note(load.faults) },
    { what: 'the mix', value: rate(load), unit: 'requests/s' },
    {
      what: 'the same mix to the bare routes',
      value: bare.rate,
      unit: 'requests/s',
      note: bareRuns.map((bareRun) => `${rate(bareRun).toFixed(0)}/s`).join(', '),
    },
    { what: 'ratio', value: rate(load) / bare.rate, unit: '' },
    { what: 'processor time of the mix, all processes but the sender', value: cost(load), unit: 'ms/request' },
    { what: 'processor time of the bare routes, likewise', value: bare.cost, unit: 'ms/request' },
    { what: 'ratio of processor time', value: bare.cost / cost(load), unit: '' },
  ];
}

const note = (faults: ReadonlyMap<string, number>): { note?: string } =>
  faults.size === 0
    ? {}
    : {
        note: [...faults]
          .slice(0, 5)
          .map(([what, n]) => `${n} × ${what}`)
          .join('; '),
      };

function workOf(before: ReadonlyMap<string, Sample>, after: ReadonlyMap<string, Sample>, load: Measured): Measurement[] {
  const parts = [...after].map(([name, { worked }]) => [name, (worked - before.get(name)!.worked) / (load.seconds * 1_000)] as const);
  const known = parts.reduce((sum, [, part]) => sum + part, 0);
  const rest = (load.worked ?? Number.NaN) / (load.seconds * 1_000) - known;
  return [...parts, ['PostgreSQL', rest] as const].map(([name, value]) => ({
    what: `part of a processor that ${name} took`,
    value,
    unit: '',
  }));
}

function latencies({ times }: Outcome): Measurement[] {
  return (Object.keys(MIX) as Kind[]).flatMap((kind) => {
    const sorted = (times.get(kind) ?? []).toSorted((a, b) => a - b);
    const [p50, p99] = [0.5, 0.99].map((part) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN) as [number, number];
    return [
      { what: `${kind}: p50`, value: p50, unit: 'ms' },
      { what: `${kind}: p99`, value: p99, unit: 'ms' },
      { what: `${kind}: p99 / p50`, value: p99 / p50, unit: '', limit: 'under 20' },
    ];
  });
}

function memories(samples: ReadonlyMap<string, readonly Sample[]>): Measurement[] {
  return [...samples].flatMap(([name, all]) => {
    const third = Math.floor(all.length / 3);
    const memory = all.map((sample) => sample.memory);
    const [second, last] = [median(memory.slice(third, 2 * third)), median(memory.slice(2 * third))];
    // The node keeps every block and the last states, so it grows. It is the network, not the service.
    const held = name.startsWith('api') || name.startsWith('worker') ? { limit: `flat: at most ${FLAT}` } : {};
    return [
      {
        what: `resident memory of ${name}, last third of the time`,
        value: last,
        unit: 'MiB',
        note: memory
          .filter((_, i) => i % Math.ceil(all.length / 12) === 0)
          .map((value) => value.toFixed(0))
          .join(', '),
      },
      { what: `the same over its second third`, value: last / second, unit: '', ...held },
    ];
  });
}

export const scenario: Scenario = {
  name: 'load',
  about: `The whole topology as processes: two APIs and two workers on one PostgreSQL, one Redis and one EVM node, ${TENANTS} tenants with a contract, lots and a subscription each, ${CONNECTIONS} connections that send their next request when they have the last answer, for ${SECONDS} s. Of a hundred requests ${Object.entries(
    MIX,
  )
    .map(([kind, share]) => `${share} are ${kind}`)
    .join(
      ', ',
    )}; what is tracked has been signed and sent to the chain just before, so that the workers index, watch and deliver meanwhile. Compared with the same mix to bare routes on the same HTTP stack (Nest, Fastify, body validation, no credential), two processes too, before and after: one statement a request; preparing stores a content, estimates the gas and inserts one row. The bare routes make nothing for workers to do: that work is in the figures of the mix alone. The sender shares the processors with all of them.`,
  run,
};
