import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../logging/logger.js';
import { openApi } from '../openapi/serve.js';
import { codingFor } from '../responses/compress.js';
import { CratesModule, sendRaw } from '../testing/crates.js';
import { createHttpApp } from './app.js';
import { drain } from './drain.js';

describe('the HTTP layer on the wire', () => {
  let app: NestFastifyApplication;
  let base: string;

  beforeAll(async () => {
    app = await createHttpApp(CratesModule, {
      config: { http: { host: '127.0.0.1', port: 0, trustedProxies: 0, corsOrigins: ['https://portal.example'] } },
      logger: createLogger({ level: 'silent' }),
    });
    openApi(app);
    await app.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterAll(() => drain(app).then(() => app.close()));

  /** As the bytes are: fetch would decode them. */
  async function rawGet(path: string, coding: string, more = ''): Promise<{ head: string; body: Buffer }> {
    const text = await sendRaw(base, `GET ${path} HTTP/1.0\r\nHost: a\r\nAccept-Encoding: ${coding}\r\n${more}\r\n`, undefined, 'latin1');
    const split = text.indexOf('\r\n\r\n');
    return { head: text.slice(0, split).toLowerCase(), body: Buffer.from(text.slice(split + 4), 'latin1') };
  }
  const status = async (request: string): Promise<string> => (await sendRaw(base, request)).split(' ')[1]!;

  it('compresses an answer of more than a kilobyte as the client asks, and says that it depends on it', async () => {
    const plain = JSON.stringify({ text: 'crate '.repeat(500) });
    for (const [asked, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
      ['gzip;q=0.5, br', brotliDecompressSync],
    ] as const) {
      const { head, body } = await rawGet('/crates/texts', asked);
      expect(head).toContain(`content-encoding: ${decode === gunzipSync ? 'gzip' : 'br'}`);
      expect(head).toMatch(/^vary: .*accept-encoding/m);
      expect(decode(body).toString()).toBe(plain);
      expect(body.length).toBeLessThan(plain.length / 10);
    }
  });

  it.each(['identity', 'gzip;q=0', 'gzip;q=0, br;q=0', '*;q=0', 'deflate', 'gzip;q=0.2, identity'])(
    'sends it as it is for %s',
    async (asked) => {
      const { head, body } = await rawGet('/crates/texts', asked);
      expect(head).not.toContain('content-encoding');
      expect(head).toMatch(/^vary: .*accept-encoding/m);
      expect(JSON.parse(body.toString())).toEqual({ text: 'crate '.repeat(500) });
    },
  );

  it('takes the coding with the highest weight', () => {
    expect(['gzip, br', 'br;q=0.1, gzip', 'x-gzip', '*', '*;q=0.5, br;q=0', undefined, '', 'gzip;q=x'].map(codingFor)).toEqual([
      'br',
      'gzip',
      'gzip',
      'br',
      'gzip',
      null,
      null,
      null,
    ]);
  });

  it('compresses what is streamed, and neither short answers nor those whose ETag names exact bytes', async () => {
    const stream = await rawGet('/crates/stream', 'br, gzip', 'Connection: close\r\n');
    expect(stream.head).toContain('content-encoding: gzip');
    expect(gunzipSync(stream.body).toString()).toBe('crate '.repeat(4_000));
    for (const path of ['/crates', '/crates/exact']) expect((await rawGet(path, 'gzip')).head).not.toContain('content-encoding');
  });

  it('keeps the names in Vary that are there already', async () => {
    const { head } = await rawGet('/crates/texts', 'gzip', 'Origin: https://portal.example\r\n');
    expect(/^vary: (.*)$/m.exec(head)![1]!.split(', ').toSorted()).toEqual(['accept-encoding', 'origin']);
  });

  it('says by an ETag whether the OpenAPI document has changed, and sends it compressed', async () => {
    for (const path of ['/openapi.json', '/openapi/v2.json']) {
      const first = await fetch(base + path);
      expect([first.status, first.headers.get('cache-control'), first.headers.get('content-encoding')]).toEqual([
        200,
        'public, max-age=300, must-revalidate',
        'gzip',
      ]);
      const again = await fetch(base + path, { headers: { 'if-none-match': first.headers.get('etag')! } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  it('refuses a request that a server in front may read otherwise', async () => {
    const twice = await sendRaw(base, 'GET /crates HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
    expect(twice).toMatch(/^HTTP\/1.1 400 /);
    expect(twice).toContain('"code":"repeated_header"');
    const coded =
      'POST /crates/free HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\nContent-Type: application/json\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
    const answer = await sendRaw(base, coded);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('"code":"unsupported_transfer_coding"');
    expect(await status(coded.replace('gzip, chunked\r\n', 'chunked\r\nConnection: close\r\n'))).toBe('200');
  });

  it('answers OPTIONS of an address that nobody has with 404', async () => {
    const options = (path: string): Promise<Response> =>
      fetch(base + path, { method: 'OPTIONS', headers: { origin: 'https://portal.example', 'access-control-request-method': 'GET' } });
    expect([(await options('/crates')).status, (await options('/nowhere')).status]).toEqual([204, 404]);
    expect(await (await options('/nowhere')).json()).toMatchObject({ code: 'route_not_found' });
  });

  it('names the parameter of a path that is not UTF-8', async () => {
    const answer = await fetch(`${base}/api/v1/depot/one/%FF`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'malformed_request', errors: [{ pointer: '/depotId', code: 'not_utf8' }] });
    expect(await (await fetch(`${base}/%FF`)).json()).toMatchObject({ code: 'malformed_request', errors: [{ pointer: '' }] });
  });

  it('refuses a parameter that a route of the API does not have, and names the nearest one', async () => {
    const refused = async (query: string) => {
      const answer = await fetch(`${base}/api/v1/depot${query}`);
      const { code, errors } = (await answer.json()) as { code: string; errors: { pointer: string; code: string; message: string }[] };
      expect([answer.status, code, errors[0]!.code]).toEqual([400, 'unknown_parameter', 'unknown_parameter']);
      return [errors.map(({ pointer }) => pointer).join(), errors[0]!.message];
    };
    expect(await refused('?statsu=recalled')).toEqual(['/statsu', expect.stringContaining('did you mean status?')]);
    expect(await refused('?Limit=5')).toEqual(['/Limit', expect.stringContaining('did you mean limit?')]);
    expect(await refused('?zzzzzzzz=1&page=2&a/b=1')).toEqual([
      '/zzzzzzzz,/a~1b',
      expect.stringContaining('it has label, limit, page, status, tag.'),
    ]);
    expect(await refused('/one/7?x=1')).toEqual(['/x', expect.anything()]);
    expect((await fetch(`${base}/api/v1/depot/one/7?as=csv`)).status).toBe(200);
    expect((await fetch(`${base}/api/v1/depot?status=x&limit=5&tag=a&tag=b`)).status).toBe(200);
    expect((await fetch(`${base}/crates?utm_source=mail`)).status).toBe(200);
  });

  it('lists a hundred of many unknown parameters and fields, however long they are', async () => {
    const names = Array.from({ length: 5_000 }, (_, i) => `statu${i}`);
    const query = await fetch(`${base}/api/v1/depot?${names.map((name) => `${name}=`).join('&')}&${'limi'.repeat(100)}=1`);
    const answer = (await query.json()) as { code: string; moreErrors: number; errors: { message: string }[] };
    expect([query.status, answer.code, answer.errors.length, answer.moreErrors]).toEqual([400, 'unknown_parameter', 100, 4_901]);
    expect([0, 9, 10].map((i) => answer.errors[i]!.message.includes('did you mean status?'))).toEqual([true, true, false]);
    const members = Object.fromEntries([...names, 'n'.repeat(100_000)].map((name) => [name, 1]));
    const body = await fetch(`${base}/crates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ['n'.repeat(100_000)]: 1, ...members, stops: Array.from({ length: 60_000 }, () => ({})) }),
    });
    const text = await body.text();
    expect(JSON.parse(text)).toMatchObject({ code: 'malformed_request', errors: { length: 100 }, moreErrors: expect.any(Number) });
    expect(text.length).toBeLessThan(30_000);
  });

  it('says of a list that is too long only that', async () => {
    const body = JSON.stringify({
      label: 'abc',
      stops: Array.from({ length: 60_000 }, () => ({})),
      lots: Array.from({ length: 60_000 }, (_, i) => -i),
    });
    const answer = await fetch(`${base}/crates`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(((await answer.json()) as { errors: object[] }).errors).toEqual([
      { pointer: '/stops', code: 'wrong_length', message: '/stops has 60000 items; 10000 is the most.' },
      { pointer: '/lots', code: 'wrong_length', message: '/lots has 60000 items; 3 is the most.' },
    ]);
  });
});
