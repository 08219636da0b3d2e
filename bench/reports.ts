import { UnitOfWork } from '#persistence';
import { ChainProfile } from '#chain';
import { REPORTS, followerOf } from '#reports/testing';
import { Caller } from './graph-http.js';
import { milliseconds } from './graph-walks.js';
import { type Measurement, type Scenario, median } from './report.js';
import { sizeOf } from './seed-fill.js';
import { type SeededFolder, openSeeded } from './seed-tenant.js';

const DATA = process.env['BENCH_DATA'] ?? '.data-bench';
const LOTS = Number(process.env['BENCH_LOTS'] ?? 1_000_000);
const ROUNDS = 7;
/** Lot reads that a p99 is taken over. */
const READS = 400;

interface Bench {
  readonly caller: Caller;
  readonly unitOfWork: UnitOfWork;
  readonly seeded: SeededFolder;
  readonly say: (line: string) => void;
}

/** The least that a report of this kind could read: one sum over the rows that it is about, under the same row-level security. */
const PLAIN: Readonly<Record<string, string>> = {
  documents: `select count(*) from traceability.event where tenant_id = $1 and documents <> '[]'`,
  inventory: `select asset_type, custodian, count(*), sum(remaining) from traceability.lot where tenant_id = $1 and to_block is null group by 1, 2`,
  suppliers: `select org_id, count(*), sum(input_kg), sum((kde ->> 'required')::integer) from traceability.event where tenant_id = $1 group by 1`,
  yield: `select process_type, sum(input_kg), sum(main_output_kg) from traceability.event where tenant_id = $1 group by 1`,
};

export const scenario: Scenario = {
  name: 'reports',
  about: [
    `The reports of a tenant of ${LOTS} lots over HTTP, one caller. "Anew" is a question that nobody asked before; "again" is the same question once more. Beside them, in the same run: one plain sum over the table that the report is about, and a lot read while nothing else runs and while reports are computed anew, one after the other.`,
    'What is kept and what is computed on read, and why: docs/adr/0015-reports.md.',
  ].join(' '),
  async run(say): Promise<readonly Measurement[]> {
    const { service, seeded } = await openSeeded(DATA, sizeOf(LOTS), say);
    try {
      const { email, password } = seeded.login;
      const caller = await Caller.login(service.baseUrl, email, password, seeded.tenant.slug);
      const bench: Bench = { caller, unitOfWork: service.app.get(UnitOfWork), seeded, say };
      const rows: Measurement[] = await followed(bench, service.app.get(ChainProfile));
      rows.push(await alerted(bench));
      for (const { about } of REPORTS) rows.push(...(await measured(bench, about.name, about.kept === true)));
      return [...rows, ...(await beside(bench))];
    } finally {
      await service.close();
    }
  },
};

/** The filling is not on the service's own chain: it is followed as if that had come as far. */
async function followed({ unitOfWork, seeded, say }: Bench, chain: ChainProfile): Promise<Measurement[]> {
  const position = { head: FAR, final: FAR };
  const follow = followerOf(unitOfWork, chain, { position: async () => position });
  say('following the events');
  const before = process.memoryUsage().rss;
  const { took } = await milliseconds(() => follow.follow(seeded.tenant.id));
  const again = await milliseconds(() => follow.follow(seeded.tenant.id));
  const grown = Math.max(0, process.memoryUsage().rss - before) / 2 ** 20;
  return [
    { what: 'following every event, once; next to nothing where a run before has done it', value: took / 1000, unit: 's' },
    { what: 'following when nothing is new', value: again.took, unit: 'ms' },
    { what: 'following: resident memory that it adds to the process', value: grown, unit: 'MiB' },
  ];
}

const FAR = 1_000_000;

/** A round over a million lots takes hours: what it would find of lots past their date is written as it would write it. */
async function alerted({ unitOfWork, seeded, say }: Bench): Promise<Measurement> {
  say('alerts');
  const scope = { tenantId: seeded.tenant.id };
  await unitOfWork.inTransaction(scope, (tx) => tx.sql(EXPIRED, [scope.tenantId]));
  const [row] = await unitOfWork.inSnapshot(scope, (tx) =>
    tx.sql<{ n: string }>('select count(*) as n from reports.alert where tenant_id = $1 and resolved_at is null', [scope.tenantId]),
  );
  return { what: 'alerts that stand', value: Number(row!.n), unit: '' };
}

const EXPIRED = `
  insert into reports.alert (tenant_id, id, source, type, severity, subject_kind, subject_id, token_id, tlc, key, title, detail, evidence, threshold,
    group_name, org_ids, first_seen_at, detected_at)
  select l.tenant_id, left(encode(sha256(convert_to('LOT_EXPIRED|' || l.id || '|', 'utf8')), 'hex'), 16), 'lot', 'LOT_EXPIRED', 'critical', 'lot', l.id,
    l.token_id, l.tlc, '', l.tlc || ' is past its date and still in stock', 'Its date was ' || l.expires_at::date || '.', '{}', '{}',
    coalesce(l.asset_type_name, ''), '{}', l.expires_at, l.expires_at
  from traceability.lot_v1 l
  where l.tenant_id = $1 and l.expires_at <= now() and l.retired_at is null and not l.used_up and not l.is_container
  on conflict do nothing`;

let asked = 0;
/** A question of the whole tenant that is nobody's kept answer: the end of its period is past every event. */
const anew = (name: string): string => `/api/v1/reports/${name}?to=2999-01-01T00:00:00.${String(++asked).padStart(3, '0')}Z`;

const limitOf = (name: string): string => (name === 'alerts' ? 'under 2000' : 'under 1000');

async function measured({ caller, unitOfWork, seeded, say }: Bench, name: string, kept: boolean): Promise<Measurement[]> {
  say(name);
  const before = process.memoryUsage().rss;
  const question = anew(name);
  const firsts = [(await milliseconds(() => caller.get(question))).took];
  const grown = Math.max(0, process.memoryUsage().rss - before) / 2 ** 20;
  const again: number[] = [];
  for (let round = 0; round < ROUNDS; round++) again.push((await milliseconds(() => caller.get(question))).took);
  // Questions of other periods, none of which was asked before; slow reports are asked one.
  for (let round = 0; round < ROUNDS - 1 && firsts[0]! < 5_000; round++)
    firsts.push((await milliseconds(() => caller.get(`${anew(name)}&from=2026-0${round + 1}-03`))).took);
  const plain = PLAIN[name] ?? null;
  const least: number[] = [];
  if (plain !== null)
    for (let round = 0; round < 3; round++)
      least.push(
        (await unitOfWork.inSnapshot({ tenantId: seeded.tenant.id }, (tx) => milliseconds(() => tx.sql(plain, [seeded.tenant.id])))).took,
      );
  return [
    { what: `${name}: again`, value: median(again), unit: 'ms', limit: limitOf(name), note: kept ? 'kept' : 'computed on read' },
    { what: `${name}: anew`, value: median(firsts), unit: 'ms', limit: limitOf(name) },
    ...(plain
      ? [
          {
            what: `${name}: anew, as a multiple of one plain sum (${Math.round(median(least))} ms)`,
            value: median(firsts) / median(least),
            unit: '×',
          },
        ]
      : []),
    { what: `${name}: resident memory that it adds to the process`, value: grown, unit: 'MiB' },
  ];
}

/** Whether somebody who reads a lot notices that somebody else asks for figures. */
async function beside({ caller, seeded, say }: Bench): Promise<Measurement[]> {
  say('lot reads beside reports');
  const lot = `/api/v1/nfts/${seeded.landmarks.hub}`;
  const reads = async (): Promise<number[]> => {
    const times: number[] = [];
    while (times.length < READS) times.push((await milliseconds(() => caller.get(lot))).took);
    return times;
  };
  await reads();
  const idle = p99(await reads());
  const rows: Measurement[] = [{ what: 'lot read, p99, idle', value: idle, unit: 'ms' }];
  for (const { about } of REPORTS) {
    const stop = new AbortController();
    const reporting = (async (): Promise<void> => {
      while (!stop.signal.aborted) await caller.get(anew(about.name));
    })();
    const busy = p99(await reads());
    stop.abort();
    await reporting;
    rows.push({
      what: `lot read, p99, while ${about.name} is computed anew`,
      value: busy,
      unit: 'ms',
      limit: `3 × idle: under ${(3 * idle).toFixed(0)}`,
    });
  }
  return rows;
}

const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!;
