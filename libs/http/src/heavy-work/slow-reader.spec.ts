import { type IncomingMessage, type Server, type ServerResponse, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../testing/crates.js';
import { whenReadSlowly } from './slow-reader.js';

const MEBIBYTE = Buffer.alloc(2 ** 20);

describe('the reader of an answer', () => {
  let server: Server;
  let responses: ServerResponse[] = [];
  let slow = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      responses.push(response);
      whenReadSlowly(response, () => slow++, 20);
      // So that a client sees that it is answered.
      response.flushHeaders();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function ask(): Promise<{ readonly answer: IncomingMessage; readonly response: ServerResponse }> {
    [responses, slow] = [[], 0];
    const answer = await new Promise<IncomingMessage>((resolve) => {
      get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false }, resolve);
    });
    return { answer, response: responses[0]! };
  }
  const severalChecks = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 100));

  it('is slow who takes nothing of what waits, and that is said once', async () => {
    const { answer, response } = await ask();
    for (let i = 0; i < 32; i++) response.write(MEBIBYTE);
    await until(() => slow === 1);
    await severalChecks();
    expect(slow).toBe(1);
    answer.destroy();
  });

  it('is not slow while there is nothing to take', async () => {
    const { answer, response } = await ask();
    answer.resume();
    await severalChecks();
    expect(slow).toBe(0);
    response.end();
    await severalChecks();
    expect(slow).toBe(0);
  });
});
