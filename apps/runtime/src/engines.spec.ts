import { describe, expect, it } from '@jest/globals';
import { configFrom } from '#config';
import { describeEngines, type Engines } from './engines.js';

describe('the lines of the start screen', () => {
  const engines = { chain: { node: { urls: ['http://127.0.0.1:8545'] } } } as unknown as Engines;
  const webhooks = (env: Record<string, string>): string | undefined =>
    describeEngines(configFrom(env), engines).find((line) => line.startsWith('webhooks'));

  it.each([
    [{}, '127.0.0.0/8, ::1/128'],
    [{ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8,192.168.7.0/24' }, '10.0.0.0/8, 192.168.7.0/24'],
    [{ WEBHOOK_ALLOWED_NETWORKS: '' }, 'none'],
  ])('given %j, say which private networks deliveries may reach', (env, networks) => {
    expect(webhooks(env)).toBe(`webhooks   private networks allowed: ${networks}`);
  });
});
