import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TraceabilityClient } from '#client';
import { type FakeKubo, startFakeKubo } from '#content-storage/testing';
import { createLogger, NestLogger } from '#http';
import { eventually } from '../harness/eventually.js';
import { notRunHere } from '../harness/not-run-here.js';
import { World } from '../harness/world.js';
import { findRedis, startRedis } from '../engines/queue-redis.js';
import type { RunningQueueEngine } from '../engines/queue.suite.js';
import { RiceTrade } from './rice-trade.js';

interface Readiness {
  readonly status: string;
  readonly down: readonly string[];
  readonly checks: Readonly<Record<string, { readonly state: string; readonly impact?: string }>>;
}

/** docs/spec/reliability.md#readiness: a balancer goes on sending requests as long as a part of them can be answered. */
const redisSource = findRedis();
if (!redisSource || !('program' in redisSource)) notRunHere('readiness without Redis and content store, without redis-server');
else
  describe('a service whose engines go away one after another', () => {
    let redis: RunningQueueEngine;
    let kubo: FakeKubo;
    let world: World;
    let trade: RiceTrade;
    let admin: TraceabilityClient;
    const lines: string[] = [];
    /** Sentences that the log has from here on. */
    const logged = (): string[] => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    beforeAll(async () => {
      [redis, kubo] = await Promise.all([startRedis(redisSource), startFakeKubo()]);
      const env = { REDIS_URL: (redis.engine as { url: string }).url, KUBO_RPC_URL: kubo.url };
      const logger = createLogger({ level: 'warn' }, { write: (line) => void lines.push(line) });
      world = await World.start(env, logger);
      // The demo's seed, which ran in this process, has a logger of its own.
      Logger.overrideLogger(new NestLogger(logger));
      trade = await RiceTrade.of(world);
      admin = trade.api;
    });
    afterAll(async () => {
      Logger.overrideLogger(true);
      await world?.close();
      await kubo?.close();
      await redis?.stop();
    });

    const ready = async (): Promise<Readiness & { readonly httpStatus: number }> => {
      const answer = await fetch(`${world.baseUrl}/health/ready`);
      return { httpStatus: answer.status, ...((await answer.json()) as Readiness) };
    };
    const until = (down: readonly string[]) =>
      eventually(`${down.join() || 'nothing'} to be down`, async () => {
        const now = await ready();
        return now.down.join() === down.join() && now;
      });
    const harvest = (outputTlc: string): Promise<unknown> =>
      trade.event(trade.farmA, { processType: 'RICE_HARVESTING', outputTlc, metadata: trade.metadataOf('RICE_HARVESTING') });

    it('is ready with all of them', async () => {
      expect(await ready()).toMatchObject({ httpStatus: 200, status: 'ready', down: [] });
    });

    it('is degraded without the content store: lists and lots work, preparing is refused', async () => {
      kubo.behave('error');
      const { httpStatus, status, checks } = await until(['content_storage']);
      expect([httpStatus, status]).toEqual([200, 'degraded']);
      expect(checks['content_storage']!.impact).toContain('refused with 503');
      expect((await admin.lots.list({ limit: 1 })).data).toBeDefined();
      await expect(harvest('RH-20261101-REA1')).rejects.toMatchObject({ status: 503, code: 'content_storage_unavailable' });
      kubo.behave('ok');
      await until([]);
      await harvest('RH-20261101-REA2');
    });

    it('is degraded without Redis: requests pass, a login is refused', async () => {
      await redis.kill!();
      const { httpStatus, status, checks } = await until(['queue']);
      expect([httpStatus, status]).toEqual([200, 'degraded']);
      expect(checks['queue']!.impact).toContain('logins are refused');
      expect((await admin.lots.list({ limit: 1 })).data).toBeDefined();
      await harvest('RH-20261101-REA3');
      await expect(world.admin('rice')).rejects.toMatchObject({ status: 503 });
      await redis.startAgain!();
      await until([]);
      await world.admin('rice');
    });

    it('says in the log when each of them went away and when it worked again, and each fault once', () => {
      const engines = logged().filter((line) => /^The .* (is down|works again)/.test(line));
      expect(engines.map((line) => line.replace(/[:,].*/s, ''))).toEqual([
        'The content storage is down',
        'The content storage works again',
        'The queue is down',
        'The queue works again',
      ]);
      expect(logged().filter((line) => line.includes('ECONNREFUSED') && !line.startsWith('The queue')).length).toBeLessThanOrEqual(2);
    });

    it('shows in which phase the indexer is, and no sentence of a driver', async () => {
      const { checks } = await ready();
      expect(checks['indexer']).toMatchObject({ state: 'up', phase: 'following' });
      expect(checks['indexer']).not.toHaveProperty('detail');
    });

    it('stops in time although Redis is away', async () => {
      await redis.kill!();
      await until(['queue']);
      const before = performance.now();
      await world.service.close();
      // Running jobs have 20 s to end, and then queues and connections 3 s each.
      expect(performance.now() - before).toBeLessThan(60_000);
      await redis.startAgain!();
    });
  });
