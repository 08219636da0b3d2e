import { Controller, type DynamicModule, Get, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Pool } from 'pg';
import { TraceabilityClient } from '#client';
import { Access, createHttpApp, createLogger } from '#http';
import { readDemoFile } from '../apps/cli/src/demo/demo-file.js';
import { playScenario } from '../apps/cli/src/demo/play-scenario.js';
import { readScenario } from '../apps/cli/src/demo/scenario.js';
import { type DemoService, withDemoService } from './demo-service.js';
import { Load } from './load-apart.js';
import { type Measurement, type Scenario, median } from './report.js';

const CONNECTIONS = 8;
const REQUESTS = Number(process.env['READS_REQUESTS'] ?? 400);
const ROUNDS = Number(process.env['READS_ROUNDS'] ?? 11);
const WARM_UP = 3;

let pool: Pool;
const BARE = { name: 'bare_read', text: 'select body from bare_read where kind = $1' };

/** The least that a read could do: one statement, whose rows are the answer. */
@Controller('bare')
class BareReadController {
  @Get('lot')
  @Access('public')
  async lot(): Promise<object> {
    return (await this.bodies('lot'))[0]!;
  }

  @Get('lots')
  @Access('public')
  async lots(): Promise<object> {
    const data = await this.bodies('lots');
    return { data, total: data.length };
  }

  private async bodies(kind: string): Promise<object[]> {
    const { rows } = await pool.query<{ body: object }>({ ...BARE, values: [kind] });
    return rows.map(({ body }) => body);
  }
}

@Module({})
class BareReadModule {}

export const scenario: Scenario = {
  name: 'reads',
  about: `Processor time of the service process a request, embedded engines with the demo tenant and its value chain; PostgreSQL and the sender are processes of their own. The bare route is the same HTTP stack in the same process, without guard and row-level security: one named statement on a pool of the driver, whose rows are the lots as the service answers them, as many as it answers. Nothing is compressed (\`Accept-Encoding: identity\`). Rounds of ${REQUESTS} requests alternate; a ratio is the median of those of neighbouring rounds.`,
  run: (say) => withDemoService('reads', (demo) => measure(demo, say)),
};

async function measure(demo: DemoService, say: (line: string) => void): Promise<readonly Measurement[]> {
  const { service, tenant, folder } = demo;
  await playScenario(readDemoFile(folder)!, tenant, readScenario(tenant.slug), () => undefined);
  const client = new TraceabilityClient(service.baseUrl);
  const login = { email: tenant.admin.email, password: tenant.admin.password, tenantId: tenant.slug };
  const { accessToken } = await client.post<{ accessToken: string }>('/api/v2/auth/login', login);
  const headers = { authorization: `Bearer ${accessToken}`, 'accept-encoding': 'identity' };
  const get = async <T>(path: string): Promise<T> => (await fetch(service.baseUrl + path, { headers })).json() as Promise<T>;
  const { data: lots } = await get<{ data: { tokenId: number }[] }>('/api/v1/nfts?limit=20');
  const { data: events } = await get<{ data: { id: string }[] }>('/api/v1/events?limit=20');
  const lot = `/api/v1/nfts/${lots[0]!.tokenId}`;
  const bare = await startBare(demo, lots);
  const load = new Load(CONNECTIONS, REQUESTS);
  try {
    const cost = (path: string): Promise<number> => load.cost(service.baseUrl + path, headers);
    const bareCost = async (path: string): Promise<number> => load.cost(`${await bare.getUrl()}/bare/${path}`, headers);
    const compared = [
      ['a lot', lot, 'lot', 'at most 2'],
      [`a list of ${lots.length} lots`, '/api/v1/nfts?limit=20', 'lots', 'at most 3'],
    ] as const;
    const measurements: Measurement[] = [];
    for (const [what, path, bareOne, limit] of compared) {
      const { own, ratio, base } = await ratioOf(
        () => cost(path),
        () => bareCost(bareOne),
      );
      say(`${what}: ${own.toFixed(0)} µs, bare ${base.toFixed(0)} µs, ${ratio.toFixed(2)} ×`);
      measurements.push(
        { what: `${what}: the bare route`, value: base, unit: 'µs a request' },
        { what, value: own, unit: 'µs a request' },
        { what: `${what}: of the bare route`, value: ratio, unit: '×', limit },
      );
    }
    for (const path of [
      `/api/v1/events/${events[0]!.id}`,
      `/api/v1/events?limit=20`,
      `${lot}/events?limit=20`,
      `${lot}/relations`,
      '/api/v1/events?format=epcis&limit=100',
      `${lot}/exports/untp-dte`,
      '/api/v1/reports/fsma204',
      '/api/v1/reports/yield',
    ]) {
      const own = await medianOf(() => cost(path));
      const what = path.replace('/api/v1', '').replaceAll(/[0-9a-f-]{36}|(?<=nfts\/)\d+/g, '{id}');
      say(`${what}: ${own.toFixed(0)} µs`);
      measurements.push({ what: `\`${what}\``, value: own, unit: 'µs a request' });
    }
    return measurements;
  } finally {
    load.close();
    await bare.close();
    await pool.end();
  }
}

async function startBare({ config, service }: DemoService, lots: readonly object[]): Promise<NestFastifyApplication> {
  pool = new Pool({ ...service.engines.database, max: 10 });
  await pool.query('create table bare_read (kind text not null, body jsonb not null)');
  await pool.query('create index on bare_read (kind)');
  const bodies = [['lot', lots[0]], ...lots.map((lot) => ['lots', lot])] as const;
  for (const [kind, body] of bodies) await pool.query('insert into bare_read values ($1, $2)', [kind, JSON.stringify(body)]);
  const module: DynamicModule = { module: BareReadModule, controllers: [BareReadController] };
  const app = await createHttpApp(module, { config, logger: createLogger({ level: 'silent' }) });
  await app.listen(0, '127.0.0.1');
  return app;
}

async function ratioOf(own: () => Promise<number>, bare: () => Promise<number>): Promise<{ own: number; base: number; ratio: number }> {
  for (let round = 0; round < WARM_UP; round++) {
    await bare();
    await own();
  }
  const pairs: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const first = await (round % 2 === 0 ? bare() : own());
    const second = await (round % 2 === 0 ? own() : bare());
    pairs.push(round % 2 === 0 ? [second, first] : [first, second]);
  }
  return {
    own: median(pairs.map(([cost]) => cost)),
    base: median(pairs.map(([, cost]) => cost)),
    ratio: median(pairs.map(([cost, base]) => cost / base)),
  };
}

async function medianOf(cost: () => Promise<number>): Promise<number> {
  await cost();
  const costs: number[] = [];
  for (let round = 0; round < 3; round++) costs.push(await cost());
  return median(costs);
}
