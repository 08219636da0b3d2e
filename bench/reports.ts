import { UnitOfWork } from '#persistence';
import { type ChainHead, ChainProfile } from '#chain';
import { REPORTS, factsProjector } from '#reporting/testing';
import { Caller } from './graph-http.js';
import { openApart } from './apart.js';
import { milliseconds } from './graph-walks.js';
import { spent } from './processor.js';
import { type Measurement, type Scenario, median } from './report.js';
import { sizeOf } from './seed-fill.js';
import { type Bench, fillForReports } from './reports-filling.js';
import { openSeeded } from './seed-tenant.js';

const DATA = process.env['BENCH_DATA'] ?? '.data-bench';
const LOTS = Number(process.env['BENCH_LOTS'] ?? 1_000_000);
/** `BENCH_REPORTS=inventory,documents`: these alone. */
const NAMES = process.env['BENCH_REPORTS']?.split(',') ?? null;
const REPETITIONS = 5;
/** Lot reads that a p99 is taken over. */
const READS = 300;

/** The least that a report of this kind could read: one sum over the rows that it is about, under the same row-level security. */
const PLAIN: Readonly<Record<string, string>> = {
  documents: `select count(*) from traceability.event where tenant_id = $1 and documents <> '[]'`,
  inventory: `select asset_type, custodian, count(*), sum(remaining) from traceability.lot where tenant_id = $1 and to_block is null group by 1, 2`,
  places: `select location, count(*) from traceability.event where tenant_id = $1 group by 1`,
  suppliers: `select org_id, count(*), sum(input_kg), sum((kde ->> 'required')::integer) from traceability.event where tenant_id = $1 group by 1`,
  trends: `select date_trunc('month', event_time), count(*), sum(main_output_kg) from traceability.event where tenant_id = $1 group by 1`,
  yield: `select process_type, sum(input_kg), sum(main_output_kg) from traceability.event where tenant_id = $1 group by 1`,
};

export const scenario: Scenario = {
  name: 'reports',
  about: [
    `The reports of a tenant of ${LOTS} lots over HTTP, one caller, medians of ${REPETITIONS}. "New" is a question that was not asked before; "again" is the same question once more. In the same run, for comparison: one plain sum over the table that the report is about, and a lot read while nothing else runs and while a caller in another process has new reports computed, one after the other. The tenant's documents, transfers, alerts and checked pointers are written as its projectors and jobs would write them.`,
    'What is kept and what is computed on read, and why: docs/adr/0015-reports.md.',
  ].join(' '),
  async run(say): Promise<readonly Measurement[]> {
    const { service, seeded } = await openSeeded(DATA, sizeOf(LOTS), say);
    try {
      const { email, password } = seeded.login;
      const caller = await Caller.login(service.baseUrl, email, password, seeded.tenant.slug);
      const bench: Bench = { caller, unitOfWork: service.app.get(UnitOfWork), seeded, say };
      const rows: Measurement[] = await followed(bench, service.app.get(ChainProfile));
      rows.push(...(await fillForReports(bench, service.app.get(ChainProfile))));
      for (const name of reportNames()) rows.push(...(await measured(bench, name)));
      return [...rows, ...(await beside(bench, service.baseUrl))];
    } finally {
      await service.close();
    }
  },
};

/** The filling is not on the service's own chain: it is followed as if that had come as far. */
async function followed({ unitOfWork, seeded, say }: Bench, chain: ChainProfile): Promise<Measurement[]> {
  const position = { head: FAR, final: FAR };
  const projector = factsProjector(unitOfWork, chain, {
    position: async () => position,
    isRebuilding: async () => false,
  } as unknown as ChainHead);
  say('following the events');
  const before = process.memoryUsage().rss;
  const { took } = await milliseconds(() => projector.project(seeded.tenant.id));
  const again = await milliseconds(() => projector.project(seeded.tenant.id));
  const grown = Math.max(0, process.memoryUsage().rss - before) / 2 ** 20;
  return [
    { what: 'following every event, once; next to nothing where a run before has done it', value: took / 1000, unit: 's' },
    { what: 'following when nothing is new', value: again.took, unit: 'ms' },
    { what: 'following: resident memory that it adds to the process', value: grown, unit: 'MiB' },
  ];
}

const FAR = 1_000_000;

const reportNames = (): string[] => REPORTS.map(({ report }) => report.key.name).filter((name) => NAMES === null || NAMES.includes(name));

let questions = Date.now() % 1_000_000_000;
/** A question of the whole tenant that nobody asked before: the end of its period is past every event. */
const newQuestion = (name: string): string => `/api/v1/reports/${name}?to=${new Date(Date.UTC(2999, 0, 1) + ++questions).toISOString()}`;
const limitOf = (name: string): string => (name === 'alerts' ? 'under 2000' : 'under 1000');

async function measured({ caller, unitOfWork, seeded, say }: Bench, name: string): Promise<Measurement[]> {
  say(name);
  const org = `orgId=${Object.values(seeded.tenant.organisations)[0]}`;
  const from = (i: number): string => `from=2026-0${i + 1}-03`;
  const before = process.memoryUsage().rss;
  const rows: Measurement[] = [];
  const time = async (what: string, repetitions: number, question: (i: number) => string): Promise<void> => {
    const runs = [];
    for (let i = 0; i < repetitions; i++) runs.push(await spent(DATA, () => caller.get(question(i))));
    const processor = runs.flatMap(({ worked }) => worked ?? []);
    const note = processor.length > 0 ? `processor time ${Math.round(median(processor))} ms` : undefined;
    rows.push({
      what: `${name}: ${what}`,
      value: median(runs.map(({ took }) => took)),
      unit: 'ms',
      limit: limitOf(name),
      ...(note && { note }),
    });
  };
  await time('the first question of all', 1, () => newQuestion(name));
  const grown = Math.max(0, process.memoryUsage().rss - before) / 2 ** 20;
  const question = newQuestion(name);
  await time('of all, new', REPETITIONS, () => newQuestion(name));
  await time('of a period, new', REPETITIONS, (i) => `${newQuestion(name)}&${from(i)}`);
  await time('of an organisation, new', REPETITIONS, () => `${newQuestion(name)}&${org}`);
  await time('of an organisation in a period, new', REPETITIONS, (i) => `${newQuestion(name)}&${org}&${from(i)}`);
  await time('again', REPETITIONS, () => question);
  const plain = PLAIN[name];
  if (plain !== undefined) {
    const scope = { tenantId: seeded.tenant.id };
    const { took } = await unitOfWork.inSnapshot(scope, (tx) => milliseconds(() => tx.sql(plain, [scope.tenantId])));
    rows.push({ what: `${name}: one plain sum over its table, for comparison`, value: took, unit: 'ms' });
  }
  rows.push({ what: `${name}: resident memory that the first question adds to the process`, value: grown, unit: 'MiB' });
  return rows;
}

/** Whether somebody who reads a lot notices that somebody else asks for figures. */
async function beside({ caller, seeded, say }: Bench, baseUrl: string): Promise<Measurement[]> {
  say('lot reads during reports');
  const other = await openApart(baseUrl, seeded);
  const lot = `/api/v1/nfts/${seeded.landmarks.hub}`;
  const reads = async (): Promise<number[]> => {
    const times: number[] = [];
    while (times.length < READS) times.push((await milliseconds(() => caller.get(lot))).took);
    return times;
  };
  await reads();
  const idle = p99(await reads());
  const rows: Measurement[] = [{ what: 'lot read, p99, idle', value: idle, unit: 'ms' }];
  for (const name of reportNames()) {
    const stop = new AbortController();
    const reporting = (async (): Promise<void> => {
      while (!stop.signal.aborted) await other.ask(newQuestion(name));
    })();
    const busy = p99(await reads());
    stop.abort();
    await reporting;
    rows.push({
      what: `lot read, p99, while ${name} is computed`,
      value: busy,
      unit: 'ms',
      limit: `3 × idle: under ${(3 * idle).toFixed(0)}`,
    });
  }
  other.close();
  return rows;
}

const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!;
