import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createHttpApp } from '../app/app.js';
import { createLogger } from '../logging/logger.js';
import { CratesModule } from '../testing/crates.js';

describe('requests that fail because an engine is away', () => {
  it('say so once in the log, without a stack, however many they are', async () => {
    const lines: string[] = [];
    const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) });
    const config = { http: { host: '127.0.0.1', port: 0, trustedProxies: 0 } };
    const app = await createHttpApp(CratesModule, { config, logger: createLogger({ level: 'error' }, sink) });
    await app.init();
    for (let request = 0; request < 20; request++) expect((await app.inject({ url: '/crates/away' })).statusCode).toBe(503);
    await app.close();
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged).toEqual([
      expect.objectContaining({ code: 'chain_unavailable', msg: 'The chain does not answer', requestId: expect.any(String) }),
    ]);
    expect(logged[0]).not.toHaveProperty('err');
  });
});
