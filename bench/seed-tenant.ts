import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
import { RefusalToStart } from '../apps/runtime/src/index.js';
import { type SeedSize, type SeededTenant, fillTenant } from './seed-fill.js';
import type { Landmarks } from './seed-landmarks.js';

/** What a filled data folder holds beside its engines: `bench.json`. */
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

/** The service on a folder of its own, which nobody limits. */
export const startBenchService = (dataDir: string, say: Say): Promise<RunningService> =>
  startService(
    configFrom({
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'silent',
      TIERS: '{"sandbox":{"requestsPerMinute":1000000000},"standard":{"requestsPerMinute":1000000000}}',
    }),
    say,
  );

/** The service on a folder that holds a tenant of this size, filled now where it is not there yet. */
export async function openSeeded(dataDir: string, size: SeedSize, say: Say): Promise<{ service: RunningService; seeded: SeededFolder }> {
  const known = readFolder(dataDir);
  if (known && JSON.stringify(known.size) !== JSON.stringify(size))
    throw new RefusalToStart(`${dataDir} holds ${known.size.lots} lots and ${known.size.edges} edges: name another folder, or remove it.`);
  if (!known && existsSync(join(dataDir, 'postgres')))
    throw new RefusalToStart(`${dataDir} holds something else, or a filling that was cut off: name another folder, or remove it.`);
  const service = await startBenchService(dataDir, say);
  try {
    return { service, seeded: known ?? (await fillFolder(service, size, say)) };
  } catch (error) {
    await service.close();
    throw error;
  }
}

const fileIn = (dataDir: string): string => join(dataDir, 'bench.json');

function readFolder(dataDir: string): SeededFolder | null {
  return existsSync(fileIn(dataDir)) ? (JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as SeededFolder) : null;
}

async function fillFolder(service: RunningService, size: SeedSize, say: Say): Promise<SeededFolder> {
  const { config, engines, baseUrl, app } = service;
  const tenant = await asOperator(config, (operator) => makeTenant(operator, config.chain.chainId));
  const api = await TraceabilityClient.login(baseUrl, LOGIN.email, LOGIN.password, SLUG);
  for (const map of ['rice', 'wool']) await api.post('/api/v1/process-maps', processMapTemplate(map));
  const database = new Client({ ...engines.database });
  await database.connect();
  const from = performance.now();
  const seconds = (): number => (performance.now() - from) / 1000;
  const told = { lots: 0, analysed: 0 };
  const landmarks = await fillTenant(app.get(UnitOfWork), tenant, size, async (lots, edges) => {
    // The planner knows a table by its statistics: those of an empty one would send every batch through the whole of it.
    if (lots > 4 * told.analysed) await database.query('analyze');
    if (lots > 4 * told.analysed) told.analysed = lots;
    if (lots - told.lots < size.lots / 20 && lots < size.lots) return;
    told.lots = lots;
    say(`${lots} lots, ${edges} edges after ${seconds().toFixed(0)} s`);
  });
  await database.query('vacuum (analyze)');
  await database.end();
  const filled: SeededFolder = { size, tenant, login: LOGIN, landmarks, seconds: seconds() };
  writeFileSync(fileIn(config.dataDir), JSON.stringify(filled, null, 2));
  return filled;
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
