import { describe, expect, it } from '@jest/globals';
import { configFrom } from '#config';
import { describeEngines, type Engines, startEngines } from './engines.js';
import { OperatorError } from './operator-error.js';

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

describe('a start without its database', () => {
  const DATABASE_URL = 'postgres://trace:secret@127.0.0.1:1/trace'; // where nothing listens
  const refusedWith = (env: Record<string, string>): Promise<Error> =>
    startEngines(configFrom({ CHAIN_RPC_URLS: 'http://127.0.0.1:1', ...env }), () => undefined).then(
      () => new Error('it started'),
      (error: Error) => error,
    );

  it('says in a sentence which database it is, which setting names it, and no password', async () => {
    const refusal = await refusedWith({ DATABASE_URL });
    expect(refusal).toBeInstanceOf(OperatorError);
    expect(refusal.message).toMatch(/^The database trace@127\.0\.0\.1:1\/trace cannot be used: .*ECONNREFUSED.* that DATABASE_URL has/);
    expect(refusal.message).not.toContain('secret');
    const other = await refusedWith({ DATABASE_URL, DATABASE_MIGRATION_URL: DATABASE_URL.replace('trace:', 'owner:') });
    expect(other.message).toMatch(/^The database owner@127\.0\.0\.1:1\/trace .* that DATABASE_MIGRATION_URL has/);
  });
});
