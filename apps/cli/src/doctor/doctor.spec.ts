import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configFrom } from '#config';
import { examine } from './doctor.js';

const REGISTRY = `0x${'5b'.repeat(20)}`;

/** A node and an IPFS node by their answers; nothing listens on port 1. */
describe('doctor', () => {
  let server: Server;
  let url: string;
  let readiness: object | null = null;
  beforeAll(async () => {
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const asked = await text(request);
      const result = asked.includes('eth_getCode') ? (asked.includes(REGISTRY) ? '0x6001' : '0x') : '0x1';
      const body = request.url === '/api/v0/version' ? { Version: '0.30.0' } : { jsonrpc: '2.0', id: 1, result };
      if (request.url === '/health/ready' && readiness) return void response.end(JSON.stringify(readiness));
      response.statusCode = request.url === '/locked/' ? 403 : 200;
      response.end(JSON.stringify(body));
    };
    server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('finds nothing wrong with engines that the service starts itself', async () => {
    expect((await examine(configFrom({ PORT: '0' }))).map(({ engine, well }) => [engine, well])).toEqual([
      ['database', true],
      ['queue', true],
      ['chain', true],
      ['content', true],
      ['mail', true],
      ['disk', true],
    ]);
  });

  it('names the setting of each engine that does not answer, and no password', async () => {
    const dead = '127.0.0.1:1';
    const findings = await examine(
      configFrom({
        PORT: '0',
        DATABASE_URL: `postgres://u:geheim@${dead}/trace`,
        SMTP_URL: `smtp://u:geheim@${dead}`,
        MAIL_FROM: 'trace@example.org',
        REDIS_URL: `redis://:geheim@${dead}`,
        CHAIN_RPC_URLS: `http://${dead}/geheim`,
        KUBO_RPC_URL: `http://${dead}`,
      }),
    );
    expect(findings.map(({ well }) => well)).toEqual([false, false, false, false, false]);
    const remedies = findings.map(({ remedy }) => remedy).join('\n');
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'CHAIN_RPC_URLS', 'KUBO_RPC_URL', 'SMTP_URL']) expect(remedies).toContain(name);
    expect(JSON.stringify(findings)).not.toContain('geheim');
  });

  it('says of what is stored in the database that it is as unwell as the database', async () => {
    const findings = await examine(
      configFrom({ PORT: '0', DATABASE_URL: 'postgres://trace@127.0.0.1:1/trace', CONTENT_STORE: 'database' }),
    );
    expect(Object.fromEntries(findings.map(({ engine, well }) => [engine, well]))).toMatchObject({ queue: false, content: false });
    expect(findings.find(({ engine }) => engine === 'content')!.remedy).toMatch(/database first/);
  });

  it('passes on what the running service says of its engines, or that something else has its port', async () => {
    const port = new URL(url).port;
    const said = async (): Promise<readonly object[]> =>
      (await examine(configFrom({ PORT: port }))).filter(({ engine }) => engine.startsWith('service'));
    expect(await said()).toEqual([expect.objectContaining({ well: false, remedy: expect.stringContaining('PORT') })]);
    readiness = { status: 'ready', down: [], checks: { chain: { state: 'up' } } };
    expect(await said()).toEqual([expect.objectContaining({ well: true })]);
    readiness = {
      status: 'degraded',
      down: ['chain'],
      checks: { chain: { state: 'down', reason: 'no_space', impact: 'Nothing new lands.' } },
    };
    expect(await said()).toEqual([
      {
        engine: 'service, chain',
        well: false,
        found: 'down (no_space). Nothing new lands.',
        remedy: expect.stringContaining('Free some space'),
      },
    ]);
    readiness = null;
    expect((await examine(configFrom({ PORT: '1' }))).at(-1)).toMatchObject({
      engine: 'service',
      well: true,
      found: expect.stringContaining('none runs'),
    });
  });

  it('tries both logins of the database, and says which setting has the wrong one', async () => {
    const [serving, migrating] = await examine(
      configFrom({ DATABASE_URL: 'postgres://trace@127.0.0.1:1/trace', DATABASE_MIGRATION_URL: 'postgres://owner@127.0.0.1:1/trace' }),
    );
    expect(serving).toMatchObject({ engine: 'database', well: false, remedy: expect.stringContaining('DATABASE_URL') });
    expect(migrating).toMatchObject({
      engine: 'database, migrating',
      well: false,
      remedy: expect.stringContaining('DATABASE_MIGRATION_URL'),
    });
  });

  it('looks for the registry where the configuration says it is', async () => {
    const chain = { CHAIN_RPC_URLS: url, CHAIN_ID: '1' };
    const [, , there] = await examine(configFrom({ ...chain, CHAIN_REGISTRY: REGISTRY }));
    expect(there).toMatchObject({ well: true });
    const elsewhere = `0x${'5c'.repeat(20)}`;
    const [, , missing] = await examine(configFrom({ ...chain, CHAIN_REGISTRY: elsewhere }));
    expect(missing).toMatchObject({ well: false, found: `no contract at ${elsewhere}`, remedy: expect.stringContaining('CHAIN_REGISTRY') });
  });

  it('distinguishes a node of another chain, one that refuses, and one that works', async () => {
    const [, , mainnet, locked, content] = await examine(
      configFrom({ CHAIN_RPC_URLS: `${url},${url}/locked/`, CHAIN_ID: '137', KUBO_RPC_URL: url }),
    );
    expect(mainnet).toMatchObject({ well: false, found: 'chain id 1', remedy: expect.stringContaining('CHAIN_ID is 137') });
    expect(locked).toMatchObject({ well: false, found: 'HTTP 403' });
    expect(content).toMatchObject({ well: true, found: 'Kubo 0.30.0' });
    const [, , right] = await examine(configFrom({ CHAIN_RPC_URLS: url, CHAIN_ID: '1' }));
    expect(right).toMatchObject({ well: true });
  });
});
