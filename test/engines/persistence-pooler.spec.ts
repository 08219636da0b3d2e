import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testServer } from '#persistence/testing';
import { notRunHere } from '../harness/not-run-here.js';
import { urlOf } from '../harness/url-of.js';
import { World } from '../harness/world.js';
import { exchangesSuite } from './persistence-exchanges.suite.js';
import { type RunningPgBouncer, findPgBouncer, startPgBouncer } from './pgbouncer.js';

const program = findPgBouncer();
if (program) behind(program);
else notRunHere('transactions through PgBouncer: install pgbouncer, or set TEST_PGBOUNCER_BIN');

function behind(found: string): void {
  let pooler: RunningPgBouncer;
  beforeAll(async () => {
    pooler = await startPgBouncer(found, testServer().admin);
  });
  afterAll(() => pooler?.stop());

  exchangesSuite(
    'PgBouncer in transaction mode',
    async () => ({ ...testServer(), stop: async () => undefined }),
    (endpoint) => pooler.through(endpoint),
  );

  describe('the service behind PgBouncer in transaction mode', () => {
    let world: World;
    beforeAll(async () => {
      world = await World.start({}, undefined, (endpoint) => ({
        DATABASE_URL: urlOf(pooler.through(endpoint)),
        DATABASE_POOLER: 'transaction',
        DATABASE_DIRECT_URL: urlOf(endpoint),
      }));
    });
    afterAll(() => world?.close());

    it('records events, hears that they landed, delivers them, and shows them to their tenant alone', async () => {
      const rice = await world.admin('rice');
      await rice.webhooks.create(world.sink.url('/rice'), ['event.recorded']);
      await world.play('rice', 2);
      const { data } = await rice.get<{ data: { id: string; tokenId: number }[] }>('/api/v1/nfts');
      expect(data.length).toBeGreaterThan(0);
      await world.sink.received('/rice', 1);
      const pages = await Promise.all(Array.from({ length: 30 }, () => rice.get<{ data: unknown[] }>('/api/v1/nfts')));
      for (const page of pages) expect(page.data).toEqual(data);
      const other = await world.admin(world.demo.tenants.find(({ slug }) => slug !== 'rice')!.slug);
      const ids = data.map(({ id }) => id);
      const seen = await Promise.all(Array.from({ length: 30 }, () => other.get<{ data: { id: string }[] }>('/api/v1/nfts')));
      expect(seen.flatMap((page) => page.data.filter(({ id }) => ids.includes(id)))).toEqual([]);
    });
  });
}
