import { fork } from 'node:child_process';
import { once } from 'node:events';
import { TraceabilityClient } from '#client';
import { HeavyWork } from '#http';
import { UnitOfWork, withClient } from '#persistence';
import { walletOf } from '#traceability/testing';
import { type DemoTenant, readDemoFile } from '../apps/cli/src/demo/demo-file.js';
import { longestStop } from '../test/harness/loop-stops.js';
import { openApart } from './apart.js';
import { type DemoService, withDemoService } from './demo-service.js';
import { documentOf } from './epcis.js';
import { type Measurement, type Scenario, median } from './report.js';
import { fillTenant, sizeOf } from './seed-fill.js';
import type { Landmarks } from './seed-landmarks.js';
import type { Answered, Attack } from './shares-load.js';

const LOTS = Number(process.env['SHARES_LOTS'] ?? 100_000);
/** More blocks of logs than the chain of the demo has: `fillTenant` continues after the last block that a tenant has. */
const OTHER_LOTS = 20_000;
const EVENTS = Number(process.env['SHARES_EVENTS'] ?? 10_000);
const ROUNDS = Number(process.env['SHARES_ROUNDS'] ?? 3);
/** Reads of a round, and how long they are spread over: the load needs some time to be there as a whole. */
const READS = Number(process.env['SHARES_READS'] ?? 300);
const WARM_UP_MS = 2_000;
/** 6,000 in ten minutes: what the limit of one principal lets through. */
const HASHES_A_SECOND = 10;
const REPORTS = 40;

/** The lots are not on the chain: jobs that follow it would work on them all the time, in both halves of a round. */
const QUIET = {
  ALERTS_EVERY_MS: '0',
  REPORTS_READY_EVERY_MS: '0',
  REPORTS_FOLLOW_EVERY_MS: '0',
  POINTERS_EVERY_MS: '0',
  DATABASE_TIMEOUT_MS: '600000',
};

export const scenario: Scenario = {
  name: 'shares',
  about: `One tenant of ${LOTS} lots sends at once, again and again: ${REPORTS} parallel reports that were not asked before, a capture of ${EVENTS} events, a walk over 20,000 lots, and invented transaction hashes, ${HASHES_A_SECOND} a second (6,000 in ten minutes). Meanwhile a caller of another tenant reads a lot, one read after the other. Whole service with embedded engines in one process, load and reader in processes of their own on the same machine. Each of ${ROUNDS} rounds has ${READS} reads while nothing else runs, and ${READS} under the load; the figures are medians of the rounds.`,
  run: (say) => withDemoService('shares', (demo) => measured(demo, say), QUIET),
};

interface Round {
  readonly idle: readonly number[];
  readonly loaded: readonly number[];
  readonly stop: number;
  readonly answered: Answered;
}

async function measured(demo: DemoService, say: (line: string) => void): Promise<Measurement[]> {
  const { service, folder } = demo;
  const [attacker, other] = readDemoFile(folder)!.tenants as [DemoTenant, DemoTenant];
  say(`filling ${LOTS} lots`);
  const { hub } = await fill(demo, attacker, LOTS);
  const read = `/api/v1/nfts/${(await fill(demo, other, OTHER_LOTS)).hub}`;
  const { email, password } = other.admin;
  const reader = await openApart(service.baseUrl, { login: { email, password }, tenant: { slug: other.slug } as never });
  const reads = async (): Promise<number[]> => {
    const times: number[] = [];
    while (times.length < READS) times.push((await reader.ask(read)).took);
    return times;
  };
  try {
    await reads();
    const attack = await attackOf(demo, attacker, hub);
    const heavy = service.app.get(HeavyWork, { strict: false });
    const rounds: Round[] = [];
    while (rounds.length < ROUNDS) {
      while (heavy.load.running + heavy.load.waiting > 0) await pause(100);
      const round = await roundOf(reads, { ...attack, document: documentOf(service.baseUrl, EVENTS, serial) });
      rounds.push(round);
      say(`idle ${median(round.idle).toFixed(1)} ms, meanwhile ${median(round.loaded).toFixed(1)} ms; ${JSON.stringify(round.answered)}`);
    }
    return rowsOf(rounds);
  } finally {
    reader.close();
  }
}

let serials = 0;
const serial = (): number => ++serials;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Lots that the chain does not have, of a contract of their own, with the statistics that a table of this size has. */
async function fill({ service, config }: DemoService, tenant: DemoTenant, lots: number): Promise<Landmarks> {
  const api = await TraceabilityClient.login(service.baseUrl, tenant.admin.email, tenant.admin.password);
  const { tenantUuid: id } = await api.get<{ tenantUuid: string }>('/api/v2/auth/me');
  const organisations = Object.fromEntries(Object.values(tenant.actors).map(({ address, orgId }) => [address, orgId]));
  const seeded = { id, slug: tenant.slug, contract: walletOf(`shares of ${tenant.slug}`), chainId: config.chain.chainId, organisations };
  const landmarks = await fillTenant(service.app.get(UnitOfWork, { strict: false }), seeded, sizeOf(lots), async () => undefined);
  await withClient(service.engines.database, (client) => client.query('vacuum (analyze)'));
  return landmarks;
}

async function attackOf({ service }: DemoService, { admin, actors }: DemoTenant, hub: number): Promise<Omit<Attack, 'document'>> {
  const token = async ({ email, password }: { readonly email: string; readonly password: string }): Promise<string> =>
    (await new TraceabilityClient(service.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', { email, password })).accessToken;
  return {
    baseUrl: service.baseUrl,
    tokens: { admin: await token(admin), company: await token(actors.farmA!) },
    reports: REPORTS,
    hashes: HASHES_A_SECOND,
    walk: `/api/v1/nfts/${hub}/descendants?maxNodes=20000&maxDepth=200`,
  };
}

async function roundOf(reads: () => Promise<number[]>, attack: Attack): Promise<Round> {
  const idle = await reads();
  const load = fork(new URL('shares-load.js', import.meta.url));
  try {
    load.send(attack);
    await pause(WARM_UP_MS);
    const { stop, answer: loaded } = await longestStop(reads);
    const answered = once(load, 'message') as Promise<[Answered]>;
    load.send('stop');
    return { idle, loaded, stop, answered: (await answered)[0] };
  } finally {
    load.kill();
    await once(load, 'exit');
  }
}

const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!;

function rowsOf(rounds: readonly Round[]): Measurement[] {
  const of = (value: (round: Round) => number): number => median(rounds.map(value));
  const sum = (value: (answered: Answered) => number): number => rounds.reduce((total, { answered }) => total + value(answered), 0);
  const refusals = rounds.flatMap(({ answered }) => Object.entries(answered.refused)).map(([code, count]) => `${code} ${count}`);
  return [
    { what: "another tenant's read, median, idle", value: of(({ idle }) => median(idle)), unit: 'ms' },
    { what: 'the same under the load', value: of(({ loaded }) => median(loaded)), unit: 'ms' },
    { what: 'ratio', value: of(({ idle, loaded }) => median(loaded) / median(idle)), unit: '', limit: 'at most 3' },
    { what: 'p99, idle', value: of(({ idle }) => p99(idle)), unit: 'ms' },
    { what: 'p99 under the load', value: of(({ loaded }) => p99(loaded)), unit: 'ms' },
    { what: 'longest stop of the event loop', value: of(({ stop }) => stop), unit: 'ms' },
    { what: 'reports answered meanwhile', value: sum(({ reports }) => reports), unit: 'reports' },
    { what: 'captures answered meanwhile', value: sum(({ captures }) => captures), unit: 'documents' },
    { what: 'walks answered meanwhile', value: sum(({ walks }) => walks), unit: 'walks' },
    {
      what: 'hashes tracked meanwhile',
      value: sum(({ hashes }) => hashes),
      unit: 'hashes',
      ...(refusals.length > 0 && { note: `refused: ${refusals.join(', ')}` }),
    },
  ];
}
