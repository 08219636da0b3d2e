import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configFrom } from '#config';
import { Exposition } from '../../../../test/harness/prometheus-text.js';
import { OperatorError } from '../operator-error.js';
import { type OpenMetrics, openMetrics } from './metrics-server.js';

describe('the port of the metrics', () => {
  let open: OpenMetrics;
  beforeAll(async () => {
    open = (await openMetrics(configFrom({ METRICS_PORT: '0' })))!;
  });
  afterAll(() => open.close());

  it('is not there without METRICS_PORT', async () => {
    expect(await openMetrics(configFrom({}))).toBeNull();
  });

  it('gives the text format, to a parameter and to HEAD too', async () => {
    for (const ask of [fetch(open.url), fetch(`${open.url}?all`), fetch(open.url, { method: 'HEAD' })]) {
      const response = await ask;
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    }
    expect(Exposition.parse(await (await fetch(open.url)).text()).value('traceability_info', { role: 'all' })).toBe(1);
  });

  it('gives nothing else', async () => {
    expect((await fetch(open.url, { method: 'POST', body: 'x' })).status).toBe(405);
    expect((await fetch(new URL('/api/v1/nfts', open.url))).status).toBe(404);
  });

  it('that is taken gives one sentence with the name of the setting', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const refused = await openMetrics(configFrom({ METRICS_PORT: String(port) })).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OperatorError);
    expect((refused as Error).message).toBe(`Port ${port} is used by another program. Stop it, or choose another port with METRICS_PORT.`);
    other.close();
  });
});
