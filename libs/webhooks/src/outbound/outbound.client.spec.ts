import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networksFrom } from './address.js';
import type { NameLookup } from './guarded-connector.client.js';
import { OutboundClient } from './outbound.client.js';

describe('the outbound client', () => {
  let server: Server;
  let reached = 0;
  let client: OutboundClient | null = null;

  beforeEach(async () => {
    reached = 0;
    server = createServer((_, response) => {
      reached += 1;
      response.setHeader('connection', 'close').end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await client?.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  const post = (names: NameLookup, networks: string[], host = 'receiver.test') => {
    client ??= new OutboundClient({ networks: networksFrom(networks), timeoutMs: 30_000, responseBytes: 100, names });
    const { port } = server.address() as AddressInfo;
    return client.post({ url: `http://${host}:${port}/`, headers: {}, body: Buffer.from('{}') });
  };
  const answers =
    (...addresses: string[]): NameLookup =>
    (_, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  afterEach(() => {
    client = null;
  });

  it('reaches what the name service says, where that is allowed', async () => {
    expect(await post(answers('127.0.0.1'), ['127.0.0.1/32'])).toMatchObject({ kind: 'answered', statusCode: 200, responseBody: 'ok' });
  });

  it.each([
    ['a forbidden address', ['127.0.0.1'], []],
    ['a forbidden one among allowed ones', ['127.0.0.1', '10.0.0.1'], ['127.0.0.0/8']],
    ['nothing', [], ['127.0.0.0/8']],
    ['a mapped address', ['::ffff:127.0.0.1'], []],
    ['an address of the metadata service', ['169.254.169.254'], ['127.0.0.0/8']],
  ])('refuses a name that leads to %s', async (_, addresses, networks) => {
    expect(await post(answers(...addresses), networks)).toMatchObject({
      kind: 'unanswered',
      statusCode: null,
      error: 'The address is not allowed.',
    });
    expect(reached).toBe(0);
  });

  it('asks again for each connection, so a name cannot be rebound behind a check', async () => {
    let asked = 0;
    const rebound: NameLookup = (host, done) => answers(asked++ === 0 ? '127.0.0.1' : '10.0.0.1')(host, done);
    expect((await post(rebound, ['127.0.0.0/8'])).kind).toBe('answered');
    expect(await post(rebound, ['127.0.0.0/8'])).toMatchObject({ kind: 'unanswered', error: 'The address is not allowed.' });
    expect(reached).toBe(1);
  });

  it('checks the open socket too: a name lookup with a false address does not get through', async () => {
    let asked = 0;
    const hidden = {
      family: 4,
      get address() {
        return asked++ === 0 ? '8.8.8.8' : '127.0.0.1';
      },
    };
    expect(await post((_, done) => done(null, [hidden]), [])).toMatchObject({ error: 'The address is not allowed.' });
    expect(reached).toBe(0);
  });

  it.each(['127.0.0.1', '127.1', '0x7f000001', '[::ffff:7f00:1]'])(
    'refuses the literal %s, for which no name service is asked',
    async (host) => {
      const never: NameLookup = () => {
        throw new Error('asked');
      };
      expect(await post(never, [], host)).toMatchObject({ kind: 'unanswered', error: 'The address is not allowed.' });
      expect(reached).toBe(0);
    },
  );

  it('tells a name that does not resolve and a port that is closed apart for nobody', async () => {
    const unknown: NameLookup = (_, done) => done(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), []);
    expect(await post(unknown, ['127.0.0.0/8'])).toMatchObject({
      kind: 'unanswered',
      statusCode: null,
      error: 'The URL is not reachable.',
    });
    const closed = await client!.post({ url: 'http://127.0.0.1:1/', headers: {}, body: Buffer.alloc(0) });
    expect(closed).toMatchObject({ kind: 'unanswered', error: 'The URL is not reachable.' });
  });

  it('tries a name again that did not resolve at first', async () => {
    let asked = 0;
    const late: NameLookup = (host, done) =>
      asked++ === 0 ? done(Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' }), []) : answers('127.0.0.1')(host, done);
    expect((await post(late, ['127.0.0.0/8'])).kind).toBe('unanswered');
    expect((await post(late, ['127.0.0.0/8'])).kind).toBe('answered');
  });
});
