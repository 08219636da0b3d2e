import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReportingSettings } from '../reporting.settings.js';
import { Narrator } from './narrator.client.js';

const FIGURES = {
  total: 3,
  bySeverity: { critical: 1, high: 0, medium: 0, low: 2 },
  byType: { LOT_EXPIRED: 1, EVENT_LATE: 2 },
  healthScore: 90,
};

/** A server that speaks like a model's, or like a broken one. */
describe('a language model that words the figures', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let asked: { path: string; key: string | undefined; body: { model: string; messages: { content: string }[] } };

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        asked = { path: request.url!, key: request.headers.authorization, body: JSON.parse(Buffer.concat(chunks).toString()) };
        answer(request, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const narrator = (timeoutMs = 60_000, key: string | null = 'secret'): Narrator => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
    return new Narrator({ narrator: { url, model: 'small', key, timeoutMs } } as unknown as ReportingSettings);
  };
  const says = (content: unknown, status = 200): void => {
    answer = (_, response) => response.writeHead(status).end(JSON.stringify({ choices: [{ message: { content } }] }));
  };

  it('is asked with the counts alone, and its sentences are shown', async () => {
    says('One lot is past its date.\u001b[31m\n Two events came late. ');
    expect(await narrator().narrate(FIGURES)).toBe('One lot is past its date. [31m Two events came late.');
    expect(asked).toMatchObject({ path: '/v1/chat/completions', key: 'Bearer secret', body: { model: 'small' } });
    expect(asked.body.messages.map(({ content }) => content).at(-1)).toBe(JSON.stringify(FIGURES));
  });

  it('needs no key, and is not asked where there is none of it', async () => {
    says('Fine.');
    expect(await narrator(60_000, null).narrate(FIGURES)).toBe('Fine.');
    expect(asked.key).toBeUndefined();
    const none = new Narrator({ narrator: null } as unknown as ReportingSettings);
    expect([none.model, await none.narrate(FIGURES)]).toEqual([null, null]);
  });

  it.each([[''], [' \n\t'], [7], [null], [{ text: 'x' }]])('that answers %j says nothing', async (content) => {
    says(content);
    expect(await narrator().narrate(FIGURES)).toBeNull();
  });

  it.each([['{}'], ['[]'], ['null'], ['{"choices":[]}'], ['{"choices":7}'], ['"words"']])('that answers %s says nothing', async (body) => {
    answer = (_, response) => response.end(body);
    expect(await narrator().narrate(FIGURES)).toBeNull();
  });

  it('is cut where it talks on', async () => {
    says('x'.repeat(10_000));
    expect(await narrator().narrate(FIGURES)).toHaveLength(2_000);
  });

  it.each([
    ['an error', (_: unknown, response: ServerResponse) => response.writeHead(500).end('no'), /answered 500/],
    ['a redirection', (_: unknown, response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end(), /./],
    ['no JSON', (_: unknown, response: ServerResponse) => response.end('<html>'), /JSON/],
    ['more than anybody reads', (_: unknown, response: ServerResponse) => response.end('x'.repeat(100_000)), /more than 65536 bytes/],
    ['nothing, and hangs up', (request: IncomingMessage) => request.socket.destroy(), /./],
  ] as const)('is a failure when it answers %s', async (_, script, message) => {
    answer = script;
    await expect(narrator().narrate(FIGURES)).rejects.toThrow(message);
  });

  it('that does not answer is given up', async () => {
    answer = () => undefined;
    await expect(narrator(50).narrate(FIGURES)).rejects.toThrow();
    // Nor one that begins to.
    answer = (_, response) => void response.writeHead(200).write('{"choices":');
    await expect(narrator(50).narrate(FIGURES)).rejects.toThrow();
  });
});
