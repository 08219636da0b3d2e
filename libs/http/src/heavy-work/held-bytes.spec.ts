import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BodyAdmission } from '../access/body-admission.js';
import { createHttpApp } from '../app/app.js';
import { drain } from '../app/drain.js';
import { HealthModule } from '../health/health.js';
import { createLogger } from '../logging/logger.js';
import { refusal } from '#kernel';
import { until } from '../testing/crates.js';
import { HeavyWorkModule } from './heavy-work.interceptor.js';
import { Heavy } from './heavy.js';
import { HeldBytes } from './held-bytes.js';

const of = (tenant: string, principal = 'first') => ({ tenant, principal });

describe('the bytes of heavy requests', () => {
  it('of one principal are a quarter, of one tenant half', () => {
    const bytes = new HeldBytes(400);
    bytes.take(of('a'), 100);
    expect(() => bytes.take(of('a'), 1)).toThrow(expect.objectContaining({ status: 429, code: 'too_many_bytes_waiting' }));
    bytes.take(of('a', 'second'), 100);
    expect(() => bytes.take(of('a', 'third'), 1)).toThrow(expect.objectContaining({ details: { limit: 200, retryAfterSeconds: 5 } }));
    bytes.take(of('b'), 100);
  });

  it('are bounded over all tenants, and given back once', () => {
    const bytes = new HeldBytes(400);
    const backs = ['a', 'b', 'c', 'd'].map((tenant) => bytes.take(of(tenant), 100));
    expect(() => bytes.take(of('e'), 1)).toThrow(expect.objectContaining({ details: { limit: 400, retryAfterSeconds: 5 } }));
    for (const back of [...backs, ...backs]) back();
    expect(bytes.load).toBe(0);
    bytes.take(of('a'), 100);
  });
});

let release: (() => void)[] = [];

@Controller('bodies')
class BodiesController {
  @Post('heavy')
  @Heavy()
  @HttpCode(200)
  async heavy(@Body() body: object): Promise<object> {
    await new Promise<void>((resolve) => release.push(resolve));
    return { members: Object.keys(body).length };
  }
  @Post('light')
  @HttpCode(200)
  light(@Body() body: object): object {
    return { members: Object.keys(body).length };
  }
}

const nobody = refusal('nobody', 401, () => 'Who are you?');

/** As identity's guard does: by a header, which is wrong or names a tenant. */
class ByHeader extends BodyAdmission {
  readonly asked: string[] = [];
  override admit(_: object, sent: FastifyRequest): void {
    const tenant = sent.headers['x-tenant'];
    this.asked.push(String(tenant));
    if (typeof tenant !== 'string') throw nobody();
    Object.assign(sent, { actor: { tenantId: tenant, id: 'one' } });
  }
}

@Module({
  imports: [
    HealthModule,
    HeavyWorkModule.forRoot({ heavy: { slots: 4, publicSlots: 0, waitingPerTenant: 10, maxWaitMs: 60_000, bodyBytes: 2_000_000 } }, 10),
  ],
  controllers: [BodiesController],
  providers: [{ provide: BodyAdmission, useClass: ByHeader }],
})
class BodiesModule {}

describe('a large body', () => {
  let app: NestFastifyApplication;
  let base: string;
  let bytes: HeldBytes;
  beforeAll(async () => {
    app = await createHttpApp(BodiesModule, {
      config: { http: { host: '127.0.0.1', port: 0, trustedProxies: 0 } },
      logger: createLogger({ level: 'silent' }),
    });
    await app.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/bodies/`;
    bytes = app.get(HeldBytes);
  });
  afterAll(() => drain(app).then(() => app.close()));

  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ text: 'x'.repeat(400_000) });
  const send = (path: string, headers: Record<string, string>, sent = body): Promise<Response> =>
    fetch(base + path, { method: 'POST', headers: { ...json, ...headers }, body: sent });
  /** Sends the head only. */
  async function announce(path: string, headers: Record<string, string>): Promise<[number | undefined, string]> {
    const asked = request(base + path, { method: 'POST', headers: { ...json, ...headers } });
    asked.on('error', () => undefined).flushHeaders();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const { code } = JSON.parse(await text(answer)) as { code: string };
    asked.destroy();
    return [answer.statusCode, code];
  }

  it.each<[string, Record<string, string>]>([
    ['of a known length', { 'content-length': '900000' }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('%s is not read for nobody', async (_, headers) => {
    for (const path of ['heavy', 'light']) expect(await announce(path, headers)).toEqual([401, 'nobody']);
  });

  it('is refused to nobody also where its type or its length would be refused', async () => {
    expect(await announce('light', { 'content-length': '90000000' })).toEqual([401, 'nobody']);
    expect(await announce('light', { 'content-length': '900000', 'content-type': 'text/plain' })).toEqual([401, 'nobody']);
  });

  it('that is small is left to the guard', async () => {
    const before = app.get<ByHeader>(BodyAdmission).asked.length;
    expect((await send('light', {}, '{}')).status).toBe(200);
    expect(app.get<ByHeader>(BodyAdmission).asked.length).toBe(before);
  });

  it('of a heavy request is refused before it is read while the share of its principal is full', async () => {
    const first = send('heavy', { 'x-tenant': 'a' });
    await until(() => release.length === 1);
    expect(bytes.load).toBe(body.length);
    for (const headers of [{ 'content-length': '200000' }, { 'transfer-encoding': 'chunked' }] as Record<string, string>[])
      expect(await announce('heavy', { 'x-tenant': 'a', ...headers })).toEqual([429, 'too_many_bytes_waiting']);
    expect((await send('light', { 'x-tenant': 'a' })).status).toBe(200);
    const other = send('heavy', { 'x-tenant': 'b' });
    await until(() => release.length === 2);
    release.splice(0).forEach((end) => end());
    expect([(await first).status, (await other).status]).toEqual([200, 200]);
    await until(() => bytes.load === 0);
  });

  it('gives its bytes back when its caller has gone', async () => {
    const asked = request(`${base}heavy`, { method: 'POST', headers: { ...json, 'x-tenant': 'a', 'content-length': '400000' } });
    asked.on('error', () => undefined).flushHeaders();
    await until(() => bytes.load === 400_000);
    asked.destroy();
    await until(() => bytes.load === 0);
    expect(await announce('heavy', { 'x-tenant': 'a', 'transfer-encoding': 'chunked' })).toEqual([429, 'too_many_bytes_waiting']);
  });
});
