import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { UnitOfWork } from '#persistence';
import type { RunningService } from '../apps/api/src/service.js';
import { idleShare, spent } from './processor.js';
import { type Measurement, type Scenario, median } from './report.js';
import { sizeOf } from './seed-fill.js';
import { type SeededFolder, openSeeded } from './seed-tenant.js';

const DATA = process.env['BENCH_PASSPORTS_DATA'] ?? join(tmpdir(), 'trace-bench-passports');
/** Of this size a tenant's confluence has 1,024 ancestors. */
const LOTS = 10_000;
const CONNECTIONS = 8;
const REQUESTS = 3_000;
const ROUNDS = 7;
/** Compositions that are not counted: a service that runs has compiled its code. */
const WARM = 12;

export const scenario: Scenario = {
  name: 'passports',
  about:
    'The cost of a passport. Cached in memory: processor time of the service per request, compared with a static file of 0.6 kB that the same service streams from disk (its favicon); load from another process, alternating rounds, medians. Not cached: a lot with 1,024 ancestors in a tenant of 10,000 lots, each time another passport of the same lot, over HTTP, after a warm-up.',
  async run(say): Promise<readonly Measurement[]> {
    // One client is the whole load.
    process.env['RATE_PUBLIC_PER_ADDRESS'] = '1000000000';
    const { service, seeded } = await openSeeded(DATA, sizeOf(LOTS), say);
    try {
      const ids = await issueMany(service, seeded, WARM + 2 * ROUNDS + 1);
      return [...(await kept(service, ids[0]!, say)), ...(await composed(service, ids.slice(1), say))];
    } finally {
      await service.close();
      if (process.env['BENCH_PASSPORTS_DATA'] === undefined) rmSync(DATA, { recursive: true, force: true });
    }
  },
};

/** Passports of one lot with invented contract codes, so that none of them is cached at its first request. */
async function issueMany({ app }: RunningService, { tenant, landmarks }: SeededFolder, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => randomBytes(16).toString('hex'));
  await app.get(UnitOfWork).asSystem(async (tx) => {
    await tx.sql(
      `insert into passports.setting (tenant_id, enabled, show_integrity, changed_by, changed_at) values ($1, true, true, 'bench', now())
       on conflict (tenant_id) do update set enabled = true`,
      [tenant.id],
    );
    await tx.sql(
      `insert into passports.passport (tenant_id, id, token_id, contract, tlc, key, issued_at, updated_at)
       select l.tenant_id, i.id, l.token_id, i.id, l.tlc, l.key, now(), now()
       from traceability.lot_v1 l cross join unnest($3::text[]) as i(id) where l.tenant_id = $1 and l.token_id = $2`,
      [tenant.id, landmarks.confluence, ids],
    );
  });
  return ids;
}

async function kept({ baseUrl }: RunningService, id: string, say: (line: string) => void): Promise<Measurement[]> {
  const load = new Load();
  try {
    const page = { url: `${baseUrl}/p/${id}`, headers: { accept: 'text/html' } };
    const json = { url: `${baseUrl}/p/${id}`, headers: { accept: 'application/json' } };
    const dpp = { url: `${baseUrl}/v1/dpps/${id}`, headers: {} };
    const file = { url: `${baseUrl}/docs/assets/favicon-32x32.png`, headers: {} };
    const costs = { page: [] as number[], json: [] as number[], dpp: [] as number[], file: [] as number[] };
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, order] of Object.entries({ page, json, dpp, file })) {
        const cost = await load.cost(order);
        // The first round warms up.
        if (round > 0) costs[name as keyof typeof costs].push(cost);
      }
    say(`kept passport ${median(costs.page).toFixed(0)} µs, static file ${median(costs.file).toFixed(0)} µs`);
    return [
      { what: 'static file, 0.6 kB', value: median(costs.file), unit: 'µs of processor a request' },
      { what: 'passport in memory, page', value: median(costs.page), unit: 'µs of processor a request' },
      { what: 'passport in memory, JSON', value: median(costs.json), unit: 'µs of processor a request' },
      { what: 'passport in memory, ReadDPPById', value: median(costs.dpp), unit: 'µs of processor a request' },
      { what: 'passport in memory, page, to static file', value: median(costs.page) / median(costs.file), unit: '×', limit: 'at most 1.2' },
    ];
  } finally {
    load.close();
  }
}

async function composed({ baseUrl }: RunningService, ids: readonly string[], say: (line: string) => void): Promise<Measurement[]> {
  const idle = await idleShare(DATA);
  const runs: { took: number; worked: number | null }[] = [];
  for (const [round, id] of ids.entries()) {
    const { took, worked, result } = await spent(DATA, async () => {
      const answer = await fetch(`${baseUrl}/p/${id}`, { headers: { accept: 'application/json' } });
      return { status: answer.status, body: await answer.text() };
    });
    if (result.status !== 200) throw new Error(`${result.status} ${result.body.slice(0, 300)}`);
    if (round >= WARM) runs.push({ took, worked: worked === null ? null : Math.max(0, worked - idle * took) });
  }
  say(`composed in ${median(runs.map(({ took }) => took)).toFixed(0)} ms`);
  const worked = runs.flatMap((run) => run.worked ?? []);
  return [
    {
      what: 'passport of a lot with 1,024 ancestors, composed, over HTTP',
      value: median(runs.map(({ took }) => took)),
      unit: 'ms',
      limit: 'below 150',
    },
    ...(worked.length === 0 ? [] : [{ what: 'the same, service and database together', value: median(worked), unit: 'ms of processor' }]),
  ];
}

/** Requests from another process, so that what this one spends is the service's. */
class Load {
  private readonly child = fork(new URL('guard-load.js', import.meta.url));

  /** Microseconds a request. */
  async cost(order: { readonly url: string; readonly headers: object }): Promise<number> {
    const before = process.cpuUsage();
    this.child.send({ ...order, connections: CONNECTIONS, amount: REQUESTS });
    const [failed] = (await once(this.child, 'message')) as [number];
    const { user, system } = process.cpuUsage(before);
    if (failed > 0) throw new Error(`${order.url}: ${failed} requests were not answered with 200`);
    return (user + system) / REQUESTS;
  }

  close(): void {
    this.child.kill();
  }
}
