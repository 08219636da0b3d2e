import { Registry } from 'prom-client';
import { describe, expect, it } from '@jest/globals';
import { Exposition } from '../../../../test/harness/prometheus-text.js';
import { BUCKETS, RequestTimes } from './request-times.js';

const NAME = 'traceability_http_request_duration_seconds';

async function scraped(fill: (times: RequestTimes) => void): Promise<Exposition> {
  const [times, registry] = [new RequestTimes(), new Registry()];
  times.registerIn(registry);
  fill(times);
  return Exposition.parse(await registry.metrics());
}

describe('the times of requests', () => {
  it('are a histogram: each bucket holds those below it, the last one all of them', async () => {
    const exposition = await scraped((times) => {
      for (const ms of [0, 1, 1.5, 70, 99_999]) times.observe('GET', '/api/v1/lots/:tokenId', 200, ms);
    });
    const labels = { method: 'GET', route: '/api/v1/lots/:tokenId', status: '2xx' };
    const below = (le: string): number => exposition.value(`${NAME}_bucket`, { ...labels, le });
    expect([below('0.001'), below('0.0025'), below('0.05'), below('0.1'), below('10'), below('+Inf')]).toEqual([2, 3, 3, 4, 4, 5]);
    expect(exposition.all(`${NAME}_bucket`, labels)).toHaveLength(BUCKETS.length + 1);
    expect(exposition.value(`${NAME}_count`, labels)).toBe(5);
    expect(exposition.value(`${NAME}_sum`, labels)).toBeCloseTo(100.0715, 6);
    expect(exposition.types.get(NAME)).toBe('histogram');
  });

  it('are distinguished by method, route and class of status, and by nothing that a caller can choose', async () => {
    const exposition = await scraped((times) => {
      times.observe('GET', '/a', 200, 1);
      times.observe('POST', '/a', 201, 1);
      times.observe('POST', '/a', 503, 1);
      for (const method of ['PROPFIND', 'SEARCH']) times.observe(method, undefined, 404, 1);
      times.observe('GET', '/a', 99, 1);
      times.observe('GET', '/a', 999, 1);
    });
    const counted = exposition
      .all(`${NAME}_count`)
      .map(({ labels: { method, route, status }, value }) => `${method} ${route} ${status} ${value}`);
    expect(new Set(counted)).toEqual(
      new Set(['GET /a 1xx 1', 'GET /a 2xx 1', 'GET /a 5xx 1', 'POST /a 2xx 1', 'POST /a 5xx 1', 'other none 4xx 2']),
    );
  });
});
