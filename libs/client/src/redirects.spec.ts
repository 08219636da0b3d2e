import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from './traceability-client.js';

const servers: ReturnType<typeof createServer>[] = [];
async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterAll(() => servers.forEach((server) => server.close()));

describe('an answer that leads to another host', () => {
  it('is not followed: the key and the password stay where they belong', async () => {
    const got: string[] = [];
    const elsewhere = await listening((request, response) => {
      got.push(`${request.method} ${JSON.stringify(request.headers)}`);
      response.end('{}');
    });
    const asked = await listening((request, response) => void response.writeHead(307, { location: elsewhere + request.url! }).end());
    await expect(new TraceabilityClient(asked, { apiKey: 'trk_secret' }).get('/api/v1/nfts')).rejects.toThrow();
    await expect(TraceabilityClient.login(asked, 'me@x.example', 'password')).rejects.toThrow();
    expect(got).toEqual([]);
  });
});
