import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { type PreparedTx, TraceabilityClient } from '#client';
import { ContentStore } from '#content-storage';
import { newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { readScenario } from '../apps/cli/src/demo/scenario.js';
import { createBareTable } from './bare-table.js';
import type { Captured, Sending } from './capture-client.js';
import { type DemoService, withDemoService } from './demo-service.js';
import { processorTime } from './processor-time.js';
import { type Measurement, type Scenario, median } from './report.js';
import { type SeededFolder, startBenchService } from './seed-tenant.js';

const EVENTS = Number(process.env['EPCIS_EVENTS'] ?? 10_000);
const ROUNDS = Number(process.env['EPCIS_ROUNDS'] ?? 3);
/** Events of an export; a tenant may have more. */
const EXPORTED = 100_000;
const RPC_BATCH = 500;
type Say = (line: string) => void;
type Json = Record<string, unknown>;

export const scenario: Scenario = {
  name: 'epcis',
  about: `Capture: one EPCISDocument of ${EVENTS} harvests by \`POST /api/v1/epcis/capture\`, up to prepared, embedded engines, one client; compared with the time of the engines alone for the same events: parse, hash, one gas estimate and one content write each, one insert. Rounds alternate. Export (with \`EPCIS_TENANT=<folder of a filled tenant>\`): everything recorded as one document, its first ${EXPORTED} events, \`GET /api/v1/events?format=epcis&all=true\`, service and reader in one process; the heap after a collection.`,
  run: async (say) => {
    const captured = ROUNDS === 0 ? [] : await withDemoService('epcis', (demo) => captures(demo, say));
    const folder = process.env['EPCIS_TENANT'];
    return [...captured, ...(folder === undefined ? [] : await exported(folder, say))];
  },
};

async function captures(demo: DemoService, say: Say): Promise<Measurement[]> {
  const { service, tenant } = demo;
  const { email, password } = tenant.actors.farmA!;
  const { accessToken } = await new TraceabilityClient(service.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', {
    email,
    password,
  });
  let serial = 0;
  const text = (count: number): string => documentOf(service.baseUrl, count, () => ++serial);
  const client = new Worker(new URL('./capture-client.js', import.meta.url));
  const capture = async (body: string): Promise<Captured & { readonly call: PreparedTx }> => {
    client.postMessage({ url: `${service.baseUrl}/api/v1/epcis/capture`, token: accessToken, body } satisfies Sending);
    const [captured] = (await once(client, 'message')) as [Captured];
    if (captured.refused !== null || captured.call === null) throw new Error(captured.refused ?? 'nothing was prepared');
    return { ...captured, call: captured.call };
  };
  try {
    // One run to warm up plans, caches and the compiler.
    const { call } = await capture(text(1_000));
    const raw = await rawEngines(demo, call);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const body = text(EVENTS);
      const spent = spending();
      const { took } = await capture(body);
      rounds.push({ ...spent(), rate: (EVENTS * 1000) / took, bare: await raw(text(EVENTS)) });
      say(`round ${round + 1}: ${lineOf(rounds.at(-1)!)}`);
    }
    return measured(rounds);
  } finally {
    await client.terminate();
  }
}

/** Events a second, microseconds of processor an event, and the longest block of the event loop of the service, in milliseconds. */
interface Round extends Spending {
  readonly rate: number;
  readonly bare: number;
}

interface Spending {
  readonly own: number;
  readonly database: number;
  readonly node: number;
  readonly held: number;
}

function spending(): () => Spending {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const now = (): number[] => ['self', 'postgres', 'anvil'].map(processorTime);
  const before = now();
  delay.enable();
  return () => {
    delay.disable();
    const [own, database, node] = now().map((seconds, i) => ((seconds - before[i]!) * 1e6) / EVENTS) as [number, number, number];
    return { own, database, node, held: delay.max / 1e6 };
  };
}

const lineOf = ({ rate, own, database, node, held, bare }: Round): string =>
  `captured ${rate.toFixed(0)}/s (${own.toFixed(0)} µs of processor each, database ${database.toFixed(0)}, EVM node ${node.toFixed(0)}), loop held ${held.toFixed(0)} ms, engines alone ${bare.toFixed(0)}/s`;

function measured(rounds: readonly Round[]): Measurement[] {
  const of = (value: (round: Round) => number): number => median(rounds.map(value));
  return [
    { what: `capture of ${EVENTS} events, up to prepared`, value: of(({ rate }) => rate), unit: 'events/s', limit: 'at least 1,000' },
    { what: 'the slowest round', value: Math.min(...rounds.map(({ rate }) => rate)), unit: 'events/s', limit: 'at least 1,000' },
    { what: 'processor of the service, client included', value: of(({ own }) => own), unit: 'µs an event' },
    { what: 'processor of the database', value: of(({ database }) => database), unit: 'µs an event' },
    { what: 'processor of the EVM node', value: of(({ node }) => node), unit: 'µs an event' },
    { what: 'longest that other requests were held up', value: Math.max(...rounds.map(({ held }) => held)), unit: 'ms' },
    { what: 'the engines alone', value: of(({ bare }) => bare), unit: 'events/s' },
    { what: 'capture ÷ engines', value: of(({ rate }) => rate) / of(({ bare }) => bare), unit: '' },
    { what: 'resident memory after', value: process.memoryUsage().rss / 2 ** 20, unit: 'MiB' },
  ];
}

export function documentOf(base: string, count: number, next: () => number): string {
  const { metadata } = readScenario('rice').steps[0] as { metadata: Json };
  const { eventTime, eventTimeZoneOffset, quantity, footprint, ...rest } = metadata;
  const { value, uom } = quantity as { value: number; uom: string };
  const eventList = Array.from({ length: count }, () => ({
    type: 'ObjectEvent',
    action: 'ADD',
    bizStep: 'commissioning',
    disposition: 'active',
    eventTime,
    eventTimeZoneOffset,
    readPoint: { id: 'https://id.gs1.org/414/9520000100018' },
    quantityList: [
      { epcClass: `${base}/id/rice/lot/RH-20260915-${next().toString(36).toUpperCase().padStart(6, '0')}`, quantity: value, uom },
    ],
    'trc:metadata': { ...rest, footprint },
  }));
  return JSON.stringify({
    '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', { trc: `${base}/ns/trc#` }],
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2026-11-28T00:00:00Z',
    epcisBody: { eventList },
  });
}

/** Parse, hash, estimate, store and insert without the rules of the service. */
async function rawEngines({ service, tenant }: DemoService, { to, data }: PreparedTx): Promise<(body: string) => Promise<number>> {
  const { rpc } = service.engines.chain;
  const [content, work] = [service.app.get(ContentStore, { strict: false }), service.app.get(UnitOfWork, { strict: false })];
  await createBareTable(service.engines.database);
  const { address: from } = tenant.actors.farmA!;
  return async (body) => {
    const began = performance.now();
    const { eventList } = (JSON.parse(body) as { epcisBody: { eventList: Json[] } }).epcisBody;
    const texts = eventList.map((event) => JSON.stringify(event));
    const hashes = texts.map((text) => createHash('sha256').update(text).digest('hex'));
    for (let start = 0; start < texts.length; start += RPC_BATCH) {
      const calls = hashes.slice(start, start + RPC_BATCH).map((hash) => ({
        method: 'eth_estimateGas',
        // Another event id each time, as a real event has.
        params: [{ from, to, data: data.slice(0, 10) + hash.slice(0, 32) + data.slice(42) }, 'latest'],
      }));
      const [, stored] = await Promise.all([
        rpc.batch(calls),
        content.putAll(texts.slice(start, start + RPC_BATCH).map((text) => Buffer.from(text))),
      ]);
      await work.asSystem((tx) =>
        tx.sql('insert into bare select * from unnest($1::uuid[], $2::text[], $3::jsonb[])', [
          stored.map(() => newId()),
          stored.map(({ cid }) => cid),
          texts.slice(start, start + RPC_BATCH),
        ]),
      );
    }
    return (eventList.length * 1000) / (performance.now() - began);
  };
}

async function exported(folder: string, say: Say): Promise<Measurement[]> {
  const { login, tenant } = JSON.parse(readFileSync(join(folder, 'bench.json'), 'utf8')) as SeededFolder;
  const service = await startBenchService(folder, () => undefined);
  try {
    const { accessToken } = await new TraceabilityClient(service.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', {
      ...login,
      tenantId: tenant.slug,
    });
    const began = performance.now();
    const answer = await fetch(`${service.baseUrl}/api/v1/events?format=epcis&all=true`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    if (!answer.ok) throw new Error(`The export was refused: ${answer.status}`);
    const heaps: number[] = [];
    let [events, reported] = [0, 0];
    for await (const chunk of answer.body!) {
      events += Buffer.from(chunk).toString('latin1').split('"eventID"').length - 1;
      if (events - reported < 10_000) continue;
      reported = events;
      globalThis.gc?.();
      heaps.push(process.memoryUsage().heapUsed / 2 ** 20);
      say(`${events} events, ${((performance.now() - began) / 1000).toFixed(1)} s, heap ${heaps.at(-1)!.toFixed(0)} MiB`);
      if (events >= EXPORTED) break;
    }
    const seconds = (performance.now() - began) / 1000;
    return [
      { what: 'events exported in one stream', value: events, unit: '', limit: '100,000' },
      { what: 'export', value: events / seconds, unit: 'events/s' },
      { what: 'heap after the first 10,000 events', value: heaps[0] ?? 0, unit: 'MiB' },
      { what: 'heap at the end', value: heaps.at(-1) ?? 0, unit: 'MiB', limit: 'as after the first: flat' },
    ];
  } finally {
    await service.close();
  }
}
