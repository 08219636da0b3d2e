import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { TraceabilityClient } from '#client';
import { findRedis, startRedis } from '../engines/queue-redis.js';
import type { RunningQueueEngine } from '../engines/queue.suite.js';
import { notRunHere } from '../harness/not-run-here.js';
import { World } from '../harness/world.js';
import { PersonPlants } from './privacy-plants.js';
import { RiceTrade } from './rice-trade.js';

const NAME = 'Đỗ Thị Hàng Đợi';
const PHONE = '+84 97 315 20 47';
const source = findRedis();

const suite = (from: NonNullable<typeof source>): void =>
  describe('a person, with the queue and the limits of requests on Redis', () => {
    let redis: RunningQueueEngine;
    let world: World;
    let trade: RiceTrade;
    let admin: TraceabilityClient;
    let url: string;
    let watching: Redis;
    let commands = 0;
    /** Those that say it. */
    const saying: string[] = [];

    beforeAll(async () => {
      redis = await startRedis(from);
      url = redis.engine.kind === 'redis' ? redis.engine.url : '';
      const client = new Redis(url);
      watching = await client.monitor();
      client.disconnect();
      watching.on('monitor', (_: string, args: string[]) => {
        commands++;
        const text = args.join(' ');
        if (said(text)) saying.push(text);
      });
      world = await World.start({ REDIS_URL: url });
      trade = await RiceTrade.of(world);
      admin = trade.api;
    });
    afterAll(async () => {
      await world?.close();
      watching?.disconnect();
      await redis?.stop();
    });

    const spellings = [NAME, PHONE, PHONE.replaceAll(' ', ''), JSON.stringify(NAME)];
    const said = (text: string): boolean => spellings.some((one) => text.includes(one));

    /** Every key with its bytes as Redis dumps them, which are what its files have; short texts are in them as they are. */
    async function dump(): Promise<{ readonly keys: number; readonly text: string }> {
      const client = new Redis(url);
      try {
        const found: string[] = [];
        for await (const keys of client.scanStream({ count: 500 }) as AsyncIterable<string[]>)
          for (const key of keys) {
            const [bytes, type] = [await client.dumpBuffer(key), await client.type(key)];
            const whole = type === 'hash' ? await client.hgetall(key) : type === 'string' ? await client.get(key) : null;
            found.push(
              key,
              bytes?.toString() ?? '',
              JSON.stringify(whole),
              type === 'stream' ? JSON.stringify(await client.xrange(key, '-', '+')) : '',
            );
          }
        return { keys: found.length / 4, text: found.join('\n') };
      } finally {
        client.disconnect();
      }
    }

    it('is in no key of it, neither while the person is recorded and exported nor after the erasure', async () => {
      const metadata = { ...trade.metadataOf('RICE_HARVESTING'), harvester: { name: NAME, phone: PHONE } };
      await trade.land(trade.farmA, trade.event(trade.farmA, { processType: 'RICE_HARVESTING', outputTlc: 'RH-20261101-Q1', metadata }));
      await new PersonPlants(world).plant(NAME, metadata);
      const during = await dump();
      expect(during.keys).toBeGreaterThan(5);
      expect(said(during.text)).toBe(false);
      expect(await admin.post('/api/v1/privacy/erasures', { subject: NAME })).toMatchObject({ left: [] });
      expect(await admin.post('/api/v1/privacy/subjects', { value: NAME })).toMatchObject({ events: [] });
      expect(said((await dump()).text)).toBe(false);
      // Its files have every command that was ever sent.
      expect(commands).toBeGreaterThan(100);
      expect(saying).toEqual([]);
    });
  });

if (source) suite(source);
else notRunHere('a person, with the queue and the limits of requests on Redis');
