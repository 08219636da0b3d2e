import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CanActivate, Controller, type DynamicModule, type ExecutionContext, Get, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Client } from 'pg';
import { TraceabilityClient } from '#client';
import { type Config, configFrom } from '#config';
import { Access, createHttpApp, createLogger } from '#http';
import { guardOf } from '#identity/testing';
import { startService } from '../apps/api/src/service.js';
import { seedDemo } from '../apps/cli/src/commands/seed.js';
import { readDemoFile } from '../apps/cli/src/demo/demo-file.js';
import { type Measurement, type Scenario, median } from './report.js';

const AUTOCANNON = 'node_modules/autocannon/autocannon.js';
const ROUNDS = 9;
const run = promisify(execFile);

@Controller('measured')
class MeasuredController {
  @Get()
  @Access('member')
  answer(): object {
    return { ok: true };
  }
}

@Module({})
class MeasuredModule {}

/** Counts what the guard asks of its memory and of the database; statements are those begun inside of a guard's call. */
class Counted implements CanActivate {
  asked = 0;
  hits = 0;
  statements = 0;
  following = false;
  private readonly inside = new AsyncLocalStorage<true>();

  constructor(private readonly parts: ReturnType<typeof guardOf>) {
    const { memory } = parts;
    const get = memory.get.bind(memory);
    memory.get = (hash) => {
      const found = get(hash);
      this.asked++;
      if (found) this.hits++;
      return found;
    };
    const client = Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
    const query = client.query;
    const count = (): void => void (this.inside.getStore() && this.statements++);
    client.query = function counted(this: unknown, ...args: unknown[]): unknown {
      count();
      return query.apply(this, args);
    };
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { guard } = this.parts;
    return this.following ? this.inside.run(true, () => guard.canActivate(context)) : guard.canActivate(context);
  }
}

const noise = (): void => undefined;
type Headers = Record<string, string>;

export const scenario: Scenario = {
  name: 'guard',
  about:
    'A route that answers a constant, with the access guard before it and without, both on the same HTTP stack (Nest, Fastify) in one process; the credential is sent to both. The guard is that of a running service with its memory, revocations, rates and database. Measured is the processor time of the process that serves, which other work on the machine disturbs less than it does rates; the load comes from another process. Rounds alternate; the overhead is that of the medians.',
  async run(say): Promise<readonly Measurement[]> {
    const folder = mkdtempSync(join(tmpdir(), 'trace-bench-guard-'));
    const config = configFrom({
      DATA_DIR: folder,
      PORT: '0',
      LOG_LEVEL: 'silent',
      // One client is the whole load.
      TIERS: '{"sandbox":{"requestsPerMinute":1000000000},"standard":{"requestsPerMinute":1000000000}}',
    });
    const service = await startService(config, noise);
    await seedDemo(config, { baseUrl: service.baseUrl, rpcUrl: service.engines.chain.node.urls[0]! }, noise);
    const counted = new Counted(guardOf(service.app));
    const bare = await appOf(config);
    const guarded = await appOf(config, counted);
    const results: Measurement[] = [];
    for (const [kind, headers] of Object.entries(await credentials(service.baseUrl, folder))) {
      results.push(...(await compare(kind, headers, await bare.getUrl(), await guarded.getUrl(), counted, say)));
    }
    await Promise.all([bare.close(), guarded.close()]);
    await service.close();
    rmSync(folder, { recursive: true, force: true });
    return results;
  },
};

async function appOf(config: Config, guard?: CanActivate): Promise<NestFastifyApplication> {
  const module: DynamicModule = {
    module: MeasuredModule,
    controllers: [MeasuredController],
    providers: guard ? [{ provide: APP_GUARD, useValue: guard }] : [],
  };
  const app = await createHttpApp(module, { config, logger: createLogger({ level: 'silent' }) });
  await app.listen(0, '127.0.0.1');
  return app;
}

async function credentials(baseUrl: string, folder: string): Promise<Record<string, Headers>> {
  const { admin, slug } = readDemoFile(folder)!.tenants[0]!;
  const client = new TraceabilityClient(baseUrl);
  const login = { email: admin.email, password: admin.password, tenantId: slug };
  const { accessToken } = await client.post<{ accessToken: string }>('/api/v2/auth/login', login);
  const answer = await fetch(`${baseUrl}/api/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', roles: ['OPERATOR'] }),
  });
  const made = (await answer.json()) as { readonly secret?: string; readonly key?: string };
  const key = made.secret ?? made.key;
  if (!key) throw new Error(`no key was made: ${answer.status} ${Object.keys(made).join(' ')}`);
  return { bearer: { authorization: `Bearer ${accessToken}` }, 'API key': { 'x-api-key': key } };
}

async function compare(
  kind: string,
  headers: Headers,
  bare: string,
  guarded: string,
  counted: Counted,
  say: (line: string) => void,
): Promise<Measurement[]> {
  await cost(bare, headers);
  await cost(guarded, headers);
  const [without, behind]: [number[], number[]] = [[], []];
  Object.assign(counted, { asked: 0, hits: 0 });
  for (let round = 0; round < ROUNDS; round++) {
    without.push(await cost(bare, headers));
    behind.push(await cost(guarded, headers));
    say(`${kind}, round ${round + 1}: without ${without.at(-1)!.toFixed(1)} µs, behind the guard ${behind.at(-1)!.toFixed(1)} µs`);
  }
  const hitRate = (100 * counted.hits) / counted.asked;
  // Apart from the timed rounds: following each call over its awaits costs time.
  Object.assign(counted, { following: true, statements: 0, asked: 0 });
  await cost(guarded, headers);
  counted.following = false;
  return [
    { what: `${kind}: without the guard`, value: median(without), unit: 'µs a request' },
    { what: `${kind}: behind the guard`, value: median(behind), unit: 'µs a request' },
    { what: `${kind}: overhead`, value: 100 * (median(behind) / median(without) - 1), unit: '%', limit: 'under 15 %' },
    { what: `${kind}: found in memory`, value: hitRate, unit: '%' },
    { what: `${kind}: statements a request`, value: counted.statements / counted.asked, unit: '', limit: '0' },
  ];
}

/** Processor time of this process, microseconds a request; the load comes from a process of its own. */
async function cost(base: string, headers: Headers): Promise<number> {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const before = process.cpuUsage();
  const { stdout } = await run(process.execPath, [AUTOCANNON, '-j', '-c', '8', '-d', '1', ...sent, `${base}/measured`]);
  const { user, system } = process.cpuUsage(before);
  const result = JSON.parse(stdout) as { readonly '2xx': number; readonly non2xx: number; readonly errors: number };
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${base}: ${result.non2xx} refused, ${result.errors} errors`);
  return (user + system) / result['2xx'];
}
