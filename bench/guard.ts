import { AsyncLocalStorage } from 'node:async_hooks';
import { type CanActivate, Controller, type DynamicModule, type ExecutionContext, Get, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Client } from 'pg';
import { TraceabilityClient } from '#client';
import type { Config } from '#config';
import { Access, createHttpApp, createLogger } from '#http';
import { guardOf } from '#identity/testing';
import type { DemoTenant } from '../apps/cli/src/demo/demo-file.js';
import { withDemoService } from './demo-service.js';
import { Load } from './load-apart.js';
import { type Measurement, type Scenario, median } from './report.js';

const CONNECTIONS = 8;
const REQUESTS = 4_000;
const WARM_UP = 6;
const ROUNDS = 41;

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

/** Counts the guard's cache look-ups and database statements; a statement counts when it begins inside a call of the guard. */
class Counted implements CanActivate {
  asked = 0;
  hits = 0;
  statements = 0;
  following = false;
  private readonly inside = new AsyncLocalStorage<true>();

  constructor(private readonly parts: ReturnType<typeof guardOf>) {
    const { cache } = parts;
    const get = cache.get.bind(cache);
    cache.get = (hash) => {
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

export const scenario: Scenario = {
  name: 'guard',
  about:
    'A route that answers a constant, with the access guard before it and without, both on the same HTTP stack (Nest, Fastify) in one process; the credential is sent to both. The guard is that of a running service with its memory, revocations, rates and database. Measured is the processor time of the process that serves, which other work on the machine disturbs less than it does rates; the load comes from another process. Rounds of 4,000 requests alternate; the overhead is the median of the ratios of neighbouring rounds.',
  run: (say) =>
    withDemoService('guard', async ({ config, service, tenant }): Promise<readonly Measurement[]> => {
      const counted = new Counted(guardOf(service.app));
      const bare = await appOf(config);
      const guarded = await appOf(config, counted);
      const load = new Load(CONNECTIONS, REQUESTS);
      try {
        const results: Measurement[] = [];
        for (const [kind, headers] of Object.entries(await credentials(service.baseUrl, tenant))) {
          const cost = async (app: NestFastifyApplication): Promise<number> => load.cost(`${await app.getUrl()}/measured`, headers);
          results.push(
            ...(await compare(
              kind,
              () => cost(bare),
              () => cost(guarded),
              counted,
              say,
            )),
          );
        }
        return results;
      } finally {
        load.close();
        await Promise.all([bare.close(), guarded.close()]);
      }
    }),
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

async function credentials(baseUrl: string, { admin, slug }: DemoTenant): Promise<Record<string, Record<string, string>>> {
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
  bare: () => Promise<number>,
  guarded: () => Promise<number>,
  counted: Counted,
  say: (line: string) => void,
): Promise<Measurement[]> {
  for (let round = 0; round < WARM_UP; round++) {
    await bare();
    await guarded();
  }
  const [without, behind]: [number[], number[]] = [[], []];
  Object.assign(counted, { asked: 0, hits: 0 });
  for (let round = 0; round < ROUNDS; round++) {
    // The second of a pair finds the caches of the first, so the two alternate.
    if (round % 2 === 0) without.push(await bare());
    behind.push(await guarded());
    if (round % 2 === 1) without.push(await bare());
    say(`${kind}, round ${round + 1}: without ${without.at(-1)!.toFixed(1)} µs, behind the guard ${behind.at(-1)!.toFixed(1)} µs`);
  }
  const hitRate = (100 * counted.hits) / counted.asked;
  const overheads = behind.map((cost, round) => 100 * (cost / without[round]! - 1));
  // Apart from the timed rounds: following each call over its awaits costs time.
  Object.assign(counted, { following: true, statements: 0, asked: 0 });
  await guarded();
  counted.following = false;
  return [
    { what: `${kind}: without the guard`, value: median(without), unit: 'µs a request' },
    { what: `${kind}: behind the guard`, value: median(behind), unit: 'µs a request' },
    { what: `${kind}: overhead`, value: median(overheads), unit: '%', limit: 'under 15 %' },
    { what: `${kind}: found in memory`, value: hitRate, unit: '%' },
    { what: `${kind}: statements a request`, value: counted.statements / counted.asked, unit: '', limit: '0' },
  ];
}
