import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configFrom } from '#config';
import { examine } from './doctor.js';

/** A node and an IPFS node by their answers; nothing listens on port 1. */
describe('doctor', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const answer = request.url === '/api/v0/version' ? { Version: '0.30.0' } : { jsonrpc: '2.0', id: 1, result: '0x1' };
      response.statusCode = request.url === '/locked/' ? 403 : 200;
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('finds nothing wrong with engines that the service starts itself', async () => {
    expect((await examine(configFrom({}))).map(({ engine, well }) => [engine, well])).toEqual([
      ['database', true],
      ['queue', true],
      ['chain', true],
      ['content', true],
    ]);
  });

  it('says of each engine that is away which setting to look at, and no password', async () => {
    const dead = '127.0.0.1:1';
    const findings = await examine(
      configFrom({
        DATABASE_URL: `postgres://u:geheim@${dead}/trace`,
        REDIS_URL: `redis://:geheim@${dead}`,
        CHAIN_RPC_URLS: `http://${dead}/geheim`,
        KUBO_RPC_URL: `http://${dead}`,
      }),
    );
    expect(findings.map(({ well }) => well)).toEqual([false, false, false, false]);
    const remedies = findings.map(({ remedy }) => remedy).join('\n');
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'CHAIN_RPC_URLS', 'KUBO_RPC_URL']) expect(remedies).toContain(name);
    expect(JSON.stringify(findings)).not.toContain('geheim');
  });

  it('tells a node of another chain, one that refuses, and one that is well', async () => {
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
