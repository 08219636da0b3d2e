import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HealthChecks } from '../health/health.js';
import { createLogger, factsOf } from '../logging/logger.js';
import { openApi } from '../openapi/serve.js';
import { CratesModule, sendRaw, until } from '../testing/crates.js';
import { createHttpApp } from './app.js';
import { drain } from './drain.js';

describe('the HTTP layer', () => {
  let app: NestFastifyApplication;
  let base: string;
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) });

  beforeAll(async () => {
    app = await createHttpApp(CratesModule, {
      config: { http: { host: '127.0.0.1', port: 0, trustedProxies: 1 } },
      logger: createLogger({ level: 'info' }, sink),
    });
    openApi(app);
    await app.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterAll(() => drain(app).then(() => app.close()));

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(base + path, { headers });

  it('makes links with PUBLIC_URL, whatever Host a client sends, and without it refuses a Host that is no name', async () => {
    const servers = async (url: string, host: string): Promise<unknown> =>
      (
        JSON.parse(
          (await sendRaw(url, `GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).split('\r\n\r\n')[1]!,
        ) as { servers?: unknown }
      ).servers;
    const open = await listening({ publicUrl: 'https://trace.example' });
    expect(await servers(open.base, 'evil.example')).toEqual([{ url: 'https://trace.example' }]);
    expect(await servers(base, 'other.example')).toEqual([{ url: 'http://other.example' }]);
    expect(await servers(base, 'a"b')).toBeUndefined();
    await open.app.close();
  });

  it('lets no cache keep an answer, a refusal included, unless the route says so', async () => {
    for (const path of ['/crates', '/crates/1.5', '/nowhere']) {
      const { headers } = await get(path);
      expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
    }
    expect((await get('/docs/assets/swagger-ui.css')).headers.get('cache-control')).toBe('public, max-age=86400');
  });
  const post = (path: string, body: string | undefined, type: string | null = 'application/json'): Promise<Response> =>
    fetch(base + path, { method: 'POST', ...(body !== undefined && { body }), headers: type === null ? {} : { 'content-type': type } });
  const problem = async (response: Response): Promise<Record<string, any>> => {
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    const body = (await response.json()) as Record<string, any>;
    expect(body).toMatchObject({
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      type: `urn:traceability:problem:${body.code}`,
    });
    return body;
  };

  it('hands a well-formed body on as its class, free-form objects untouched', async () => {
    const metadata = { constructor: 1, then: 2, z: [1, { a: null }], a: 'é\u2028' };
    const answer = await post(
      '/crates',
      JSON.stringify({ label: 'apples', lots: [7, '8'], place: { name: 'Hall', floor: null }, metadata }),
    );
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      label: 'apples',
      lots: [7, '8'],
      place: { name: 'Hall', floor: null },
      metadata,
      isCrate: true,
      isPlace: true,
      ids: ['7', '8'],
    });
  });

  it.each<[string, string, string, string]>([
    ['an unknown field', '{"label":"ab","colour":1}', '/colour', 'unknown_field'],
    ['a field named like a property of every object', '{"label":"ab","constructor":1}', '/constructor', 'unknown_field'],
    ['a missing field', '{}', '/label', 'required'],
    ['a wrong type', '{"label":7}', '/label', 'wrong_type'],
    ['a wrong format', '{"label":"AB"}', '/label', 'wrong_format'],
    ['too long a list', '{"label":"ab","lots":[1,2,3,4]}', '/lots', 'wrong_length'],
    ['an item that is no token id', '{"label":"ab","lots":[1,1.5]}', '/lots/1', 'invalid_token_id'],
    ['an unsafe token id', '{"label":"ab","lots":[9007199254740993]}', '/lots/0', 'invalid_token_id'],
    ['an item outside the list', '{"label":"ab","tags":["dry","wet"]}', '/tags/1', 'not_allowed'],
    ['a nested unknown field', '{"label":"ab","place":{"name":"x","a/b":1}}', '/place/a~1b', 'unknown_field'],
    ['a nested wrong value', '{"label":"ab","place":{"name":"x","floor":10}}', '/place/floor', 'out_of_range'],
    ['a wrong value in a list of objects', '{"label":"ab","stops":[{"name":"x"},{"name":3}]}', '/stops/1/name', 'wrong_type'],
    ['a list in a list of objects', '{"label":"ab","stops":[[]]}', '/stops/0', 'wrong_type'],
    ['a list where an object is due', '{"label":"ab","metadata":[]}', '/metadata', 'wrong_type'],
    ['a list as the body', '[]', '', 'wrong_type'],
    ['null as the body', 'null', '', 'wrong_type'],
    ['a member __proto__', '{"label":"ab","metadata":{"__proto__":{}}}', '/metadata/__proto__', 'forbidden_name'],
    ['33 levels', `{"label":"ab","metadata":{"a":${'['.repeat(31)}${']'.repeat(31)}}}`, `/metadata/a${'/0'.repeat(30)}`, 'too_deep'],
  ])('refuses %s with its pointer', async (_what, body, pointer, code) => {
    const refused = await problem(await post('/crates', body));
    expect(refused).toMatchObject({ status: 400, code: 'malformed_request', errors: [{ pointer, code }] });
  });

  it('takes 32 levels', async () => {
    expect((await post('/crates', `{"label":"ab","metadata":{"a":${'['.repeat(30)}${']'.repeat(30)}}}`)).status).toBe(200);
  });

  it('names every fault of one body at once', async () => {
    const refused = await problem(await post('/crates', '{"label":"A","colour":1,"lots":7}'));
    expect(refused.errors).toHaveLength(3);
  });

  it('says where JSON breaks, without quoting it', async () => {
    const refused = await problem(await post('/crates', '{"password":"hunter2",}'));
    expect(refused).toMatchObject({
      status: 400,
      errors: [{ pointer: '', code: 'not_json', message: 'The body is not valid JSON: error at position 22.' }],
    });
  });

  it('refuses bytes that are not UTF-8', async () => {
    const answer = await fetch(`${base}/crates`, {
      method: 'POST',
      body: Buffer.from([0x22, 0xff, 0x22]),
      headers: { 'content-type': 'application/json' },
    });
    expect(await problem(answer)).toMatchObject({ status: 400, errors: [{ code: 'not_utf8' }] });
  });

  it('survives a million brackets', async () => {
    expect((await problem(await post('/crates', '['.repeat(500_000) + ']'.repeat(500_000)))).status).toBe(400);
  });

  it('refuses a body over 1 MiB with 413 and another content type with 415', async () => {
    expect(await problem(await post('/crates', JSON.stringify({ label: 'x'.repeat(1024 * 1024) })))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
    expect(await problem(await post('/crates', 'label=ab', 'application/x-www-form-urlencoded'))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
  });

  it.each([null, 'application/json', 'text/plain', 'nonsense'])('lets a POST without a body through with Content-Type %s', async (type) => {
    expect((await post('/crates/nothing', undefined, type)).status).toBe(200);
  });

  it('asks a body without a class only to be an object', async () => {
    expect(await (await post('/crates/free', '{"any":1}')).json()).toEqual({ any: 1 });
    expect((await post('/crates/free', '[1]')).status).toBe(400);
    expect((await post('/crates/free', undefined)).status).toBe(400);
  });

  it('reads a query from its text, passes over unknown parameters outside of the API, keeps the bounds', async () => {
    expect(await (await get('/crates?page=2&tag=a&foo=1')).json()).toEqual({ page: 2, limit: 20, tag: ['a'] });
    for (const query of ['limit=0', 'limit=101', 'limit=ten', 'page=0', 'page=1.5', 'page=1&page=2'])
      expect(await problem(await get(`/crates?${query}`))).toMatchObject({ status: 400, code: 'malformed_request' });
  });

  it('refuses half a surrogate pair in the texts of a body, free-form objects apart', async () => {
    const body = { label: 'ab', place: { name: '\ud800' }, tags: ['dry', 'a\udc00'], metadata: { a: '\ud800' } };
    expect(await problem(await post('/crates', JSON.stringify(body)))).toMatchObject({
      status: 400,
      errors: [
        { pointer: '/place/name', code: 'lone_surrogate' },
        { pointer: '/tags/1', code: 'lone_surrogate' },
      ],
    });
    expect((await post('/crates', JSON.stringify({ label: 'ab', place: { name: '\u{1f33e}' } }))).status).toBe(200);
  });

  it('refuses U+0000 in every text, free-form objects apart', async () => {
    const nul = async (answer: Promise<Response>, pointer: string): Promise<void> =>
      expect(await problem(await answer)).toMatchObject({ status: 400, errors: [{ pointer, code: 'nul_character' }] });
    await nul(get('/crates?label=a%00b'), '/label');
    await nul(get('/crates?tag=a&tag=%00'), '/tag/1');
    await nul(get('/crates/labels/a%00'), '/label');
    await nul(get('/crates/labels/a/%00'), '/colour');
    await nul(post('/crates', JSON.stringify({ label: 'ab', place: { name: '\0' } })), '/place/name');
    await nul(post('/crates', JSON.stringify({ label: 'ab', stops: [{ name: 'a' }, { name: '\0' }] })), '/stops/1/name');
    await nul(post('/crates', JSON.stringify({ label: 'ab', tags: ['dry', '\0'] })), '/tags/1');
    expect((await post('/crates', JSON.stringify({ label: 'ab', metadata: { a: '\0' } }))).status).toBe(200);
  });

  it('reads token ids of a path exactly', async () => {
    expect(await (await get('/crates/281474976710655')).json()).toEqual({ id: '281474976710655' });
    for (const id of ['0', '-1', '1.0', '1e3', '281474976710656', '007', 'abc']) expect((await get(`/crates/${id}`)).status).toBe(400);
  });

  it('answers a refusal with its code, an engine that is away with Retry-After, an unknown route with 404', async () => {
    expect(await problem(await post('/crates', '{"label":"taken"}'))).toMatchObject({
      status: 409,
      code: 'crate_taken',
      detail: 'Crate taken is taken.',
      title: 'Crate taken',
    });
    const away = await get('/crates/away');
    expect(away.headers.get('retry-after')).toBe('2');
    expect(await problem(away)).toMatchObject({ status: 503, code: 'chain_unavailable' });
    expect(await problem(await get('/nowhere'))).toMatchObject({ status: 404, code: 'route_not_found' });
    expect((await problem(await get('/%E0%A4%A'))).status).toBe(400);
  });

  it.each([
    ['FOO / HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['GET / HTTP/1.1\r\nhost: x\r\nx-a: a\u0001b\r\n\r\n', 400, 'malformed_request'],
    [`GET / HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(70_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('answers what is no readable HTTP request like everything else: %#', async (bytes, status, code) => {
    const [head, body] = (await sendRaw(base, bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*application/problem.json`, 's'));
    expect(JSON.parse(body!)).toMatchObject({ status, code, type: `urn:traceability:problem:${code}` });
  });

  it('answers an incomplete request with 408 after half a minute', async () => {
    const { requestTimeout, headersTimeout } = app.getHttpServer() as { requestTimeout: number; headersTimeout: number };
    expect([requestTimeout, headersTimeout]).toEqual([30_000, 30_000]);
    const hasty = await listening({ arrivalMs: 50 });
    try {
      for (const part of ['POST /crates HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{', 'GET /crates HTTP/1.1\r\nhost:']) {
        const [head, body] = (await sendRaw(hasty.base, part)).split('\r\n\r\n');
        expect(head).toMatch(/^HTTP\/1.1 408 .*application\/problem.json/s);
        expect(JSON.parse(body!)).toMatchObject({ status: 408, code: 'request_timeout' });
      }
    } finally {
      await hasty.app.close();
    }
  });

  it('keeps every answer from being sniffed, framed or run, a refusal included; pages say what they load', async () => {
    for (const path of ['/crates', '/crates/1.5', '/nowhere']) {
      const { headers } = await get(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'strict-transport-security': 'max-age=31536000',
      });
      for (const name of ['server', 'x-powered-by', 'access-control-allow-origin']) expect(headers.has(name)).toBe(false);
    }
    expect((await get('/docs/console')).headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('lets pages of the configured origins ask, and of no others', async () => {
    const open = await listening({ corsOrigins: ['https://portal.example'] });
    const preflight = (origin: string): Promise<Response> =>
      fetch(`${open.base}/crates`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      });
    try {
      const allowed = await preflight('https://portal.example');
      expect(allowed.status).toBe(204);
      expect(Object.fromEntries(allowed.headers)).toMatchObject({
        'access-control-allow-origin': 'https://portal.example',
        'access-control-allow-headers': expect.stringContaining('authorization'),
        vary: expect.stringMatching(/origin/i),
      });
      expect(allowed.headers.has('access-control-allow-credentials')).toBe(false);
      for (const origin of ['https://evil.example', 'https://portal.example.evil.example', 'null'])
        expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
      const answer = await fetch(`${open.base}/crates/1.5`, { headers: { origin: 'https://portal.example' } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([400, 'https://portal.example']);
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
      const wrong = await fetch(`${open.base}/crates`, { method: 'PUT' });
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    } finally {
      await open.app.close();
    }
    expect((await fetch(`${base}/crates`, { method: 'OPTIONS' })).status).toBe(405);
  });

  it.each([
    ['DELETE', '/crates?page=1', 'GET, HEAD, POST'],
    ['PUT', '/crates/nothing', 'GET, HEAD, POST'],
    ['POST', '/crates/labels/a%2Fb', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
  ])('says of %s %s what the address takes', async (method, path, allow) => {
    const refused = await fetch(base + path, { method });
    expect(refused.headers.get('allow')).toBe(allow);
    expect(await problem(refused)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  it.each(['/%zz', '/crates/labels/%zz', '/crates/%', '/crates/labels/%C3%28'])(
    'answers %s, which is no text, like everything else',
    async (path) => {
      const [head, body] = (await sendRaw(base, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 400 .*application\/problem.json/s);
      expect(JSON.parse(body!)).toMatchObject({ status: 400, code: 'malformed_request' });
    },
  );

  it('refuses a path that is longer than any name', async () => {
    expect(await problem(await get(`/crates/labels/${'a'.repeat(601)}`))).toMatchObject({ status: 414, code: 'path_too_long' });
  });

  const listening = async ({
    arrivalMs,
    corsOrigins = [],
    publicUrl,
  }: {
    readonly arrivalMs?: number;
    readonly corsOrigins?: readonly string[];
    readonly publicUrl?: string;
  }): Promise<{ app: NestFastifyApplication; base: string }> => {
    const own = await createHttpApp(CratesModule, {
      config: { http: { host: '127.0.0.1', port: 0, trustedProxies: 0, corsOrigins, ...(publicUrl && { publicUrl }) } },
      logger: createLogger({ level: 'silent' }),
      ...(arrivalMs !== undefined && { arrivalMs }),
    });
    openApi(own);
    await own.listen(0, '127.0.0.1');
    return { app: own, base: `http://127.0.0.1:${(own.getHttpServer().address() as AddressInfo).port}` };
  };

  it('does not take a client that goes away for a fault of its own', async () => {
    const logged = lines.length;
    await sendRaw(base, 'POST /crates HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"a"', 100);
    await until(() => lines.slice(logged).some((line) => line.includes('request_aborted')));
    expect(lines.slice(logged).filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('refuses a body that is compressed', async () => {
    const answer = await fetch(`${base}/crates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync('{"label":"ab"}'),
    });
    expect(await problem(answer)).toMatchObject({ status: 415, code: 'unsupported_content_coding' });
  });

  it('tells nothing of an unforeseen error but logs it with the request id', async () => {
    const answer = await get('/crates/broken', { 'x-request-id': 'caller-chosen-1' });
    const refused = await problem(answer);
    expect(refused).toMatchObject({ status: 500, code: 'internal_error', requestId: 'caller-chosen-1' });
    expect(JSON.stringify(refused)).not.toContain('hidden cause');
    const logged = lines.find((line) => line.includes('the hidden cause'));
    expect(JSON.parse(logged!)).toMatchObject({ level: 'error', requestId: 'caller-chosen-1', err: { message: 'the hidden cause' } });
  });

  it('logs the traceId of a caller who sends one, and nothing that only looks like one', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    for (const [id, traceparent] of [
      ['with-a-trace', `00-${traceId}-00f067aa0ba902b7-01`],
      ['without-one', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
      ['with-a-forgery', `00-${traceId}","level":"x-00f067aa0ba902b7-01`],
    ] as const)
      await get('/crates/7', { 'x-request-id': id, traceparent });
    const lineOf = (id: string): { traceId?: string } => JSON.parse(lines.find((line) => line.includes(id)) ?? '{}') as object;
    await until(() => lines.some((line) => line.includes('with-a-forgery')));
    expect(['with-a-trace', 'without-one', 'with-a-forgery'].map((id) => lineOf(id).traceId)).toEqual([traceId, undefined, undefined]);
    expect(factsOf({ id: 'a', headers: {}, actor: { tenantSlug: 'rice' } })).toEqual({ requestId: 'a', tenant: 'rice' });
  });

  it('does not take a request id that could forge a log line', async () => {
    expect((await get('/crates/7', { 'x-request-id': '{"level":"x"}' })).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('believes X-Forwarded-For for as many hops as are trusted', async () => {
    expect(await (await get('/crates/address', { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' })).json()).toEqual({ ip: '198.51.100.7' });
  });

  it('serves an OpenAPI 3.1 document and its page from the installation', async () => {
    const document: any = await (await get('/openapi.json')).json();
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: base }]);
    expect(document.components.schemas.Place.properties.floor).toMatchObject({ type: ['integer', 'null'], maximum: 9 });
    expect(document.paths['/crates'].post.responses['409'].description).toContain('crate_taken');
    expect(Object.keys(document.paths['/crates'].post.responses)).toEqual(
      expect.arrayContaining(['400', '408', '409', '413', '415', '431']),
    );
    expect(JSON.stringify(document)).not.toContain('schemas/"');
    const console = await (await get('/docs/console')).text();
    expect(console).not.toMatch(/https?:/);
    for (const [, path] of console.matchAll(/(?:src|href)="([^"]+)"/g)) expect((await get(path!)).status).toBe(200);
  });

  it('is ready, degraded or unavailable by what its engines say, each within its time', async () => {
    const checks = app.get(HealthChecks);
    checks.register('database', async () => ({ version: '18' }));
    const ready = (await (await get('/health/ready')).json()) as object;
    expect(ready).toMatchObject({ status: 'ready', down: [], checks: { database: { state: 'up', version: '18' } } });
    checks.register('chain', () => new Promise(() => undefined), { required: false, timeoutMs: 20, impact: 'Nothing lands.' });
    const degraded = await get('/health/ready');
    const { down, checks: seen } = (await degraded.json()) as { down: string[]; checks: Record<string, object> };
    expect([degraded.status, down, seen['chain']]).toMatchObject([200, ['chain'], { reason: 'timeout', impact: 'Nothing lands.' }]);
    checks.register('queue', () => Promise.reject(new Error('host 10.0.0.1 refused')));
    const unavailable = await get('/health/ready');
    expect(unavailable.status).toBe(503);
    expect(await unavailable.text()).not.toContain('10.0.0.1');
    expect(await (await get('/health/live')).json()).toEqual({ status: 'alive' });
  });
});
