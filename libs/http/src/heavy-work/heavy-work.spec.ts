import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { type CanActivate, Controller, type ExecutionContext, Get, Module, StreamableFile } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHttpApp } from '../app/app.js';
import { HealthModule } from '../health/health.js';
import { createLogger } from '../logging/logger.js';
import { until } from '../testing/crates.js';
import { type HeavyCaller, HeavyWork } from './heavy-work.js';
import { HeavyWorkModule } from './heavy-work.interceptor.js';
import type { PublicWork } from './public-work.js';
import { Heavy, isWholeList, isWideWalk } from './heavy.js';

const here = new AbortController().signal;
const gate = (slots = 4, waitingPerTenant = 10, maxWaitMs = 3_000): HeavyWork => new HeavyWork({ slots, waitingPerTenant, maxWaitMs });

/** `a1` is of tenant a and its first principal; `a.x1` of its principal x. */
const callerOf = (name: string): HeavyCaller => ({ tenant: name[0]!, principal: name[1] === '.' ? name[2]! : 'first' });
const A = callerOf('a');

/** Enters and records in which order they begin. */
class Entries {
  readonly begun: string[] = [];
  private readonly leaves: (() => void)[] = [];
  constructor(private readonly work: HeavyWork) {}

  async enter(...names: readonly string[]): Promise<void> {
    for (const name of names)
      void this.work.enter(callerOf(name), here).then(
        (leave) => {
          this.begun.push(name);
          this.leaves.push(leave);
        },
        () => undefined, // still waiting at the end of its test
      );
    await this.settled();
  }
  async end(): Promise<void> {
    this.leaves.shift()!();
    await this.settled();
  }
  private readonly settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
}

describe('heavy work', () => {
  it('of one tenant has half of the slots, although the others are free', async () => {
    const entries = new Entries(gate());
    await entries.enter('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(entries.begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('of the tenants that wait begins alternately, not in the order in which they came', async () => {
    const entries = new Entries(gate(2));
    await entries.enter('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(entries.begun).toEqual(['a1', 'b1']);
    for (let i = 0; i < 4; i++) await entries.end();
    expect(entries.begun).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
  });

  it('is refused with 429 beyond the queue of its tenant, and only this tenant', async () => {
    const work = gate(2, 4);
    const entries = new Entries(work);
    await entries.enter('a1', 'a2', 'a3', 'a.x1', 'a.x2');
    await expect(work.enter(callerOf('a.y'), here)).rejects.toMatchObject({
      status: 429,
      code: 'too_many_heavy_requests',
      details: { limit: 4, retryAfterSeconds: 5 },
    });
    await entries.enter('b1');
    expect(entries.begun).toEqual(['a1', 'b1']);
    expect(work.load).toEqual({ running: 2, waiting: 4 });
  });

  it('of one principal has half of the places of its tenant', async () => {
    const work = gate(2, 4);
    const entries = new Entries(work);
    await entries.enter('a1', 'a2', 'a3');
    await expect(work.enter(A, here)).rejects.toMatchObject({ code: 'too_many_heavy_requests', details: { limit: 2 } });
    await entries.enter('a.x1');
    expect(work.load).toEqual({ running: 1, waiting: 3 });
  });

  it('of the principals of a tenant begins alternately', async () => {
    const entries = new Entries(gate(2));
    await entries.enter('a1', 'a2', 'a3', 'a4', 'a.x1', 'a.x2');
    for (let i = 0; i < 5; i++) await entries.end();
    expect(entries.begun).toEqual(['a1', 'a2', 'a.x1', 'a3', 'a.x2', 'a4']);
  });

  it('is refused with 503 after a long wait, and leaves the queue', async () => {
    const work = gate(2, 3, 20);
    await new Entries(work).enter('a1');
    await expect(work.enter(A, here)).rejects.toMatchObject({ status: 503, code: 'service_busy' });
    expect(work.load).toEqual({ running: 1, waiting: 0 });
  });

  it('of a caller who has gone leaves the queue', async () => {
    const work = gate(2);
    await new Entries(work).enter('a1');
    const caller = new AbortController();
    const waiting = work.enter(A, caller.signal);
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'request_aborted' });
    expect(work.load).toEqual({ running: 1, waiting: 0 });
  });

  it('ends once, however often that is said', async () => {
    const work = gate(2);
    const leave = await work.enter(A, here);
    leave();
    leave();
    expect(work.load).toEqual({ running: 0, waiting: 0 });
  });

  it.each([
    [{}, false],
    [{ maxNodes: '500', maxDepth: '10' }, false],
    [{ maxNodes: '501' }, true],
    [{ maxDepth: '11' }, true],
    [{ cursor: 'x' }, true],
  ])('is a walk with %j: %s', (query, expected) => {
    expect(isWideWalk(query)).toBe(expected);
  });

  it.each([
    [{}, false],
    [{ limit: '100', all: 'false' }, false],
    [{ all: 'true' }, true],
    [{ tree: 'true' }, true],
  ])('is a list with %j: %s', (query, expected) => {
    expect(isWholeList(query)).toBe(expected);
  });

  it.each([
    [{ slots: 0 }, 4, 2],
    [{ slots: 0 }, 2, 1],
    [{ slots: 3 }, 10, 3],
    [{ slots: 9 }, 10, 5],
  ])('with %j and %i connections has %i slots at most', (heavy, poolSize, most) => {
    const { providers } = HeavyWorkModule.forRoot(
      { heavy: { waitingPerTenant: 1, maxWaitMs: 1, publicSlots: 0, bodyBytes: 1, ...heavy } },
      poolSize,
    );
    const [{ useValue: work }, { useValue: publicWork }] = providers as unknown as [{ useValue: HeavyWork }, { useValue: PublicWork }];
    for (const [{ slots }, mostSlots] of [
      [work, most],
      [publicWork, Math.max(1, Math.floor(poolSize / 4))],
    ] as const) {
      expect(slots).toBeLessThanOrEqual(mostSlots);
      expect(slots).toBeGreaterThan(0);
    }
  });
});

let release: (() => void)[] = [];
let begun = 0;

@Controller('heavy')
class WorkController {
  @Get('heavy')
  @Heavy()
  async heavy(): Promise<object> {
    begun++;
    await new Promise<void>((resolve) => release.push(resolve));
    return {};
  }
  @Get('sent')
  @Heavy()
  sent(): StreamableFile {
    const stream = new Readable({ read: () => undefined });
    stream.push('first line\n');
    release.push(() => void stream.push(null));
    return new StreamableFile(stream);
  }
  @Get('broken')
  @Heavy()
  broken(): never {
    throw new Error('no report');
  }
  @Get('wide')
  @Heavy(isWideWalk)
  wide(): object {
    return {};
  }
  @Get('light')
  light(): object {
    return {};
  }
}

class TenantHeader implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; actor: object }>();
    request.actor = { tenantId: request.headers['x-tenant'], id: 'one' };
    return true;
  }
}

@Module({
  imports: [
    HealthModule,
    HeavyWorkModule.forRoot({ heavy: { slots: 2, publicSlots: 0, waitingPerTenant: 10, maxWaitMs: 60_000, bodyBytes: 1_000_000 } }, 10),
  ],
  controllers: [WorkController],
  providers: [{ provide: APP_GUARD, useClass: TenantHeader }],
})
class WorkModule {}

describe('a heavy route', () => {
  let app: NestFastifyApplication;
  let base: string;
  let work: HeavyWork;
  beforeAll(async () => {
    app = await createHttpApp(WorkModule, {
      config: { http: { host: '127.0.0.1', port: 0, trustedProxies: 0 } },
      logger: createLogger({ level: 'silent' }),
    });
    await app.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/heavy/`;
    work = app.get(HeavyWork);
  });
  afterAll(async () => {
    // Those of callers who have gone would be waited for.
    app.getHttpServer().closeAllConnections();
    await app.close();
  });
  const get = (path: string, tenant: string, signal?: AbortSignal): Promise<Response> =>
    fetch(base + path, { headers: { 'x-tenant': tenant }, ...(signal && { signal }) });
  const releaseAll = async (answers: readonly Promise<Response>[]): Promise<number[]> => {
    const timer = setInterval(() => release.splice(0).forEach((end) => end()), 5);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    clearInterval(timer);
    return statuses.toSorted((a, b) => a - b);
  };

  it('called 40 times at once runs one at a time for a tenant, while another one and light routes are answered', async () => {
    let refused = 0;
    const answers = Array.from({ length: 40 }, async () => {
      const answer = await get('heavy', 'a');
      if (answer.status === 429) refused++;
      return answer;
    });
    await until(() => refused === 34);
    expect((await get('light', 'a')).status).toBe(200);
    expect((await get('wide', 'a')).status).toBe(200);
    expect((await get('wide?maxNodes=20000', 'b')).status).toBe(200);
    expect(begun).toBe(1);
    expect(await releaseAll(answers)).toEqual([...Array.from({ length: 6 }, () => 200), ...Array.from({ length: 34 }, () => 429)]);
    expect(work.load).toEqual({ running: 0, waiting: 0 });
  });

  it('says when to try again', async () => {
    const answers = Array.from({ length: 7 }, () => get('heavy', 'a'));
    await until(() => work.load.waiting === 5);
    const refused = await get('heavy', 'a');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({ code: 'too_many_heavy_requests', limit: 5 });
    await releaseAll(answers);
  });

  it('keeps its slot until the answer is sent, and gives it back after an error', async () => {
    const sent = await get('sent', 'a');
    expect(work.load.running).toBe(1);
    release.splice(0).forEach((end) => end());
    await sent.text();
    await until(() => work.load.running === 0);
    expect((await get('broken', 'a')).status).toBe(500);
    await until(() => work.load.running === 0);
  });

  it('adds no more listeners to an answer than Node expects, of many on one connection that ends', async () => {
    const warnings: string[] = [];
    const collect = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
    process.on('warning', collect);
    const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => undefined);
    socket.write('GET /heavy/sent HTTP/1.1\r\nHost: a\r\nX-Tenant: a\r\nAccept-Encoding: gzip\r\n\r\n'.repeat(6));
    await until(() => work.load.waiting === 5);
    socket.destroy();
    await until(() => work.load.waiting === 0);
    release.splice(0).forEach((end) => end());
    await until(() => work.load.running === 0);
    process.off('warning', collect);
    expect(warnings).toEqual([]);
  });

  it('forgets a caller who has gone while waiting, and works on for one whose work had begun', async () => {
    const caller = new AbortController();
    const [first, second] = [get('heavy', 'a', caller.signal), get('heavy', 'a', caller.signal)].map((answer) => answer.catch(() => null));
    await until(() => work.load.waiting === 1);
    caller.abort();
    await Promise.all([first, second]);
    await until(() => work.load.waiting === 0);
    expect(work.load.running).toBe(1);
    release.splice(0).forEach((end) => end());
    await until(() => work.load.running === 0);
  });
});
