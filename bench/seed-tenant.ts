import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { Client } from 'pg';
import { TraceabilityClient } from '#client';
import { configFrom } from '#config';
import { AddMember, CreateOrganisation, CreateTenant, CreateUser } from '#identity';
import { UnitOfWork } from '#persistence';
import { processMapTemplate } from '#traceability';
import { walletOf } from '#traceability/testing';
import { type RunningService, startService } from '../apps/api/src/service.js';
import { asOperator } from '../apps/cli/src/operator.js';
import { OperatorError } from '../apps/runtime/src/index.js';
import { type SeedSize, type SeededTenant, fillTenant } from './seed-fill.js';
import type { Landmarks } from './seed-landmarks.js';

/** Content of `bench.json` in a filled data folder. */
export interface SeededFolder {
  readonly size: SeedSize;
  readonly tenant: SeededTenant;
  readonly login: { readonly email: string; readonly password: string };
  readonly landmarks: Landmarks;
  /** What the filling took. */
  readonly seconds: number;
}

type Say = (line: string) => void;

const SLUG = 'bench';
const COMPANIES = 8;
const LOGIN = { email: 'bench@bench.example', password: 'chains of a million lots' };

/** The service on a folder of its own, which nobody limits; a batch of the filling may take longer than a request. */
export const startBenchService = (dataDir: string, say: Say): Promise<RunningService> =>
  startService(
    configFrom({
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'silent',
      // Rounds over a tenant of this size would be measured with everything else.
      ALERTS_EVERY_MS: process.env['ALERTS_EVERY_MS'] ?? '0',
      REPORTS_READY_EVERY_MS: '0',
      REPORTS_FOLLOW_EVERY_MS: '0',
      POINTERS_EVERY_MS: process.env['POINTERS_EVERY_MS'] ?? '0',
      DATABASE_TIMEOUT_MS: '600000',
      TIERS: '{"sandbox":{"requestsPerMinute":1000000000},"standard":{"requestsPerMinute":1000000000}}',
    }),
    say,
  );

/** A filling under way: what it needs to go on where it was cut off. */
type Filling = Pick<SeededFolder, 'size' | 'tenant' | 'seconds'>;

/** The service on a folder that holds a tenant of this size, filled now, or filled up, where it is not there yet. */
export async function openSeeded(dataDir: string, size: SeedSize, say: Say): Promise<{ service: RunningService; seeded: SeededFolder }> {
  const [known, begun] = [read<SeededFolder>(dataDir, FILLED), read<Filling>(dataDir, FILLING)];
  const there = known ?? begun;
  if (there && JSON.stringify(there.size) !== JSON.stringify(size))
    throw new OperatorError(`${dataDir} holds ${there.size.lots} lots and ${there.size.edges} edges: name another folder, or remove it.`);
  if (!there && existsSync(join(dataDir, 'postgres')))
    throw new OperatorError(`${dataDir} holds something else: name another folder, or remove it.`);
  const service = await startBenchService(dataDir, say);
  try {
    return { service, seeded: known ?? (await fillFolder(service, begun ?? (await begin(service, size)), say)) };
  } catch (error) {
    await service.close();
    throw error;
  }
}

const FILLED = 'bench.json';
const FILLING = 'filling.json';

function read<Kept>(dataDir: string, name: string): Kept | null {
  const file = join(dataDir, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : null;
}

const keep = (dataDir: string, name: string, kept: object): void => writeFileSync(join(dataDir, name), JSON.stringify(kept, null, 2));

async function begin({ config, baseUrl }: RunningService, size: SeedSize): Promise<Filling> {
  const tenant = await asOperator(config, (operator) => makeTenant(operator, config.chain.chainId));
  const api = await TraceabilityClient.login(baseUrl, LOGIN.email, LOGIN.password, SLUG);
  for (const map of ['rice', 'wool']) await api.post('/api/v1/process-maps', processMapTemplate(map));
  const filling: Filling = { size, tenant, seconds: 0 };
  keep(config.dataDir, FILLING, filling);
  return filling;
}

async function fillFolder({ config, engines, app }: RunningService, filling: Filling, say: Say): Promise<SeededFolder> {
  const { size, tenant } = filling;
  const from = performance.now();
  const seconds = (): number => filling.seconds + (performance.now() - from) / 1000;
  const reported = { lots: 0, analysed: 0 };
  const database = new Client({ ...engines.database });
  await database.connect();
  try {
    const landmarks = await fillTenant(app.get(UnitOfWork), tenant, size, async (lots, edges) => {
      // The planner knows a table by its statistics: those of an empty one would send every batch through the whole of it.
      if (lots > 4 * reported.analysed) await database.query('analyze');
      if (lots > 4 * reported.analysed) reported.analysed = lots;
      keep(config.dataDir, FILLING, { ...filling, seconds: seconds() });
      if (lots - reported.lots < size.lots / 20 && lots < size.lots) return;
      reported.lots = lots;
      say(`${lots} lots, ${edges} edges after ${seconds().toFixed(0)} s`);
    });
    await database.query('vacuum (analyze)');
    const filled: SeededFolder = { size, tenant, login: LOGIN, landmarks, seconds: seconds() };
    keep(config.dataDir, FILLED, filled);
    rmSync(join(config.dataDir, FILLING));
    return filled;
  } finally {
    await database.end();
  }
}

async function makeTenant(operator: INestApplicationContext, chainId: number): Promise<SeededTenant> {
  const { id } = await operator.get(CreateTenant).create({ slug: SLUG, name: 'Benchmark' });
  const organisations: Record<string, string> = {};
  for (let n = 0; n < COMPANIES; n++) {
    const organisation = await operator.get(CreateOrganisation).create(id, { name: `Company ${n}` });
    const credentials = n === 0 ? LOGIN : { email: `company${n}@bench.example`, password: null };
    const user = await operator.get(CreateUser).create({ ...credentials, name: `Operator ${n}` });
    const wallet = walletOf(`company ${n}`);
    await operator.get(AddMember).add(id, user.id, { roles: n === 0 ? ['TENANT_ADMIN'] : ['OPERATOR'], orgId: organisation.id, wallet });
    organisations[wallet] = organisation.id;
  }
  return { id, slug: SLUG, contract: walletOf('contract of the benchmark'), chainId, organisations };
}
