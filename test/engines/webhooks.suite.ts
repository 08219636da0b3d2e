import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { Actor } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { WebhookSink } from '../harness/webhook-sink.js';
import type { RunningQueueEngine } from './queue.suite.js';
import { webhooksAdminSuite } from './webhooks-admin.suite.js';
import { type Admin, type Delivery, publish, tenantAdmin, type Webhook, WebhooksWorld } from './webhooks-world.js';

/** @param startQueue where wake-ups lie; null for the embedded queue on the database of the test */
export function webhooksSuite(name: string, startQueue: (() => Promise<RunningQueueEngine>) | null): void {
  describe(`webhooks, queue on ${name}`, () => {
    let db: TestDatabase;
    let world: WebhooksWorld;
    let queue: RunningQueueEngine | null = null;
    let sink: WebhookSink;
    let rice: Actor;
    let admin: Admin;

    beforeAll(async () => {
      db = await cloneTestDatabase([webhooksPersistence]);
      queue = (await startQueue?.()) ?? null;
      world = await WebhooksWorld.start(db.endpoint, { allowedNetworks: ['127.0.0.0/8'], timeoutMs: 1_500 }, true, queue?.engine);
    });
    afterAll(async () => {
      await world.stop();
      await queue?.stop();
      await db.drop();
    });
    beforeEach(async () => {
      sink = await WebhookSink.start();
      rice = tenantAdmin();
      admin = world.as(rice);
    });
    afterEach(() => sink.close());

    const ended = (webhook: Webhook, count = 1): Promise<Delivery[]> =>
      eventually(`${count} deliveries to end`, async () => {
        const all = await admin.deliveries(webhook.id);
        return all.length >= count && all.every(({ status }) => ['delivered', 'failed', 'discarded'].includes(status)) && all;
      });
    const one = async (webhook: Webhook): Promise<Delivery> => (await ended(webhook))[0]!;
    const happen = (...facts: object[]): Promise<void> =>
      publish(db.unitOfWork, rice, 'nft.created', ...(facts.length > 0 ? facts : [{ tokenId: 1 }]));

    describe('a delivery', () => {
      const AWKWARD = {
        z: 1,
        a: 1.0,
        big: 1e21,
        tiny: 1e-7,
        é: 'é',
        separator: '\u2028\u2029',
        quote: '"\\/',
        nul: '\u0000',
        pair: '😀',
        n: null,
      };

      it('carries the bytes that were written with the fact, under two signatures', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        await happen(AWKWARD);
        const [request] = await sink.received('/hook', 1);
        const text = request!.body.toString('utf8');
        expect(text).toMatch(/^\{"event":"nft\.created","timestamp":"\d{4}-[^"]+Z","data":/);
        expect(text.endsWith(`"data":${JSON.stringify(AWKWARD)}}`)).toBe(true);
        expect(request!.headers).toMatchObject({
          'content-type': 'application/json',
          'x-webhook-event': 'nft.created',
          'x-webhook-signature': `sha256=${createHmac('sha256', webhook.secret).update(request!.body).digest('hex')}`,
        });
        new StandardWebhook(webhook.secret).verify(request!.body, request!.headers as Record<string, string>);
        expect(await one(webhook)).toMatchObject({
          id: request!.headers['x-webhook-id'],
          subscriptionId: webhook.id,
          event: 'nft.created',
          url: sink.url(),
          statusCode: 200,
          success: true,
          attempt: 1,
          responseBody: '',
          error: null,
          status: 'delivered',
        });
      });

      it('is retried three times on the schedule with the same id and bytes, then failed for good', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.*');
        sink.script('/hook', { status: 500, body: 'out of order' });
        await happen(AWKWARD);
        const failed = await one(webhook);
        expect(failed).toMatchObject({
          status: 'failed',
          success: false,
          attempt: 4,
          statusCode: 500,
          responseBody: 'out of order',
          nextAttemptAt: null,
        });
        expect(failed.error).toContain('500');
        expect(failed.attempts.map(({ number, statusCode }) => [number, statusCode])).toEqual([1, 2, 3, 4].map((n) => [n, 500]));
        const seen = sink.at('/hook');
        expect(seen).toHaveLength(4);
        expect(new Set(seen.map(({ headers }) => headers['x-webhook-id'])).size).toBe(1);
        expect(new Set(seen.map(({ body }) => body.toString('hex'))).size).toBe(1);
        expect(new Set(seen.map(({ headers }) => headers['x-webhook-signature'])).size).toBe(1);
        const waits = seen.slice(1).map(({ at }, i) => at.getTime() - seen[i]!.at.getTime());
        [60, 120, 240].forEach((wait, i) => expect(waits[i]).toBeGreaterThanOrEqual(wait));
      });

      it('waits longer where the receiver asks for it, twice as long at most, and not before its second attempt is over', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        sink.script('/hook', { status: 503, headers: { 'retry-after': '3600' } });
        await happen();
        const { attempts } = await one(webhook);
        const waits = attempts.slice(1).map(({ startedAt }, i) => Date.parse(startedAt) - Date.parse(attempts[i]!.startedAt));
        [60, 2 * 120, 2 * 240].forEach((wait, i) => expect(waits[i]).toBeGreaterThanOrEqual(wait));
      });

      it('succeeds on a later attempt, and says so', async () => {
        const webhook = await admin.subscribe(sink.url(), '*');
        sink.script('/hook', 503, { status: 410 }, 204);
        await happen();
        expect(await one(webhook)).toMatchObject({ status: 'delivered', success: true, attempt: 3, statusCode: 204, error: null });
      });

      it.each([
        ['a redirect, which is not followed', { status: 302, headers: { location: '/elsewhere' } }, 302, /redirects are not followed/],
        ['a redirect to the metadata address', { status: 307, headers: { location: 'http://169.254.169.254/' } }, 307, /redirects/],
        ['a reset', { reset: 'before' }, null, /not reachable/],
        ['an answer that breaks off', { reset: 'after-head' }, 200, /broke off/],
        ['silence', { hang: true }, null, /No answer within 1500 ms/],
        ['a dripping body, which keeps every idle timer alive', { dripMs: 20 }, 200, /not complete within 1500 ms/],
      ] as const)('fails on %s', async (_, answer, statusCode, error) => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        sink.script('/hook', answer);
        await happen();
        const failed = await one(webhook);
        expect(failed).toMatchObject({ status: 'failed', statusCode, attempt: 4 });
        expect(failed.error).toMatch(error);
        expect(sink.at('/elsewhere')).toHaveLength(0);
        expect(sink.at('/hook')).toHaveLength(4);
      });

      it('reads 8 KiB of an answer that never ends and hangs up', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        sink.script('/hook', { hugeBytes: 200_000_000 });
        await happen();
        const delivered = await one(webhook);
        expect(delivered).toMatchObject({ status: 'delivered', attempt: 1 });
        expect(delivered.responseBody).toBe('x'.repeat(8192));
        expect(sink.bytesTaken).toBeLessThan(50_000_000);
      });

      it('keeps an answer with NUL and broken UTF-8, and is not repeated for it', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        sink.script('/hook', { body: Buffer.from([0x61, 0x00, 0xff, 0x62]) });
        await happen();
        expect(await one(webhook)).toMatchObject({ status: 'delivered', responseBody: 'a\uFFFD\uFFFDb' });
        expect(sink.at('/hook')).toHaveLength(1);
      });

      it('goes to those who listen to its topic only, one for each subscription, also of the same URL', async () => {
        const twice = [await admin.subscribe(sink.url('/a'), 'nft.created'), await admin.subscribe(sink.url('/a'), 'nft.*')];
        await admin.subscribe(sink.url('/b'), 'custody.*', 'event.recorded', 'nft.recalled', 'webhook.test');
        await world.as(tenantAdmin()).subscribe(sink.url('/c'), '*');
        await happen();
        for (const webhook of twice) expect((await one(webhook)).success).toBe(true);
        expect(sink.at('/a')).toHaveLength(2);
        expect(sink.deliveries).toHaveLength(2);
      });
    });

    describe('a slow receiver', () => {
      it('does not delay another subscription', async () => {
        const slow = await admin.subscribe(sink.url('/slow'), 'nft.created');
        const quick = await admin.subscribe(sink.url('/quick'), 'event.recorded');
        sink.script('/slow', { hang: true });
        await happen(...Array.from({ length: 40 }, (_, tokenId) => ({ tokenId })));
        await sink.received('/slow', 1);
        await publish(db.unitOfWork, rice, 'event.recorded', { eventId: 'x' });
        await sink.received('/quick', 1);
        expect(sink.at('/slow').length).toBeLessThan(40); // it would be the forty-first in a queue of one lane
        for (const webhook of [slow, quick]) await admin.call('DELETE', `/${webhook.id}`);
      });
    });

    describe('a receiver that has been dead for a while', () => {
      const REST_MS = 100;

      it('is tried once in a tenth of a second, whatever waits for it; others are not held up, and all of it goes out when it lives', async () => {
        const dead = await admin.subscribe(sink.url('/dead'), 'nft.created');
        const living = await admin.subscribe(sink.url('/living'), 'event.recorded');
        sink.script('/dead', 500);
        await happen(...Array.from({ length: 40 }, (_, tokenId) => ({ tokenId })));
        await eventually('it to be known as failing', async () => (await admin.deliveries(dead.id)).some(({ attempt }) => attempt > 1));
        world.clock.moveOn(11_000);
        const since = world.clock.now();
        const before = sink.at('/dead').length;
        await sink.received('/dead', before + 12);
        await publish(db.unitOfWork, rice, 'event.recorded', { eventId: 'x' });
        await sink.received('/living', 1);
        await sink.received('/dead', before + 15);
        const tried = (await admin.deliveries(dead.id))
          .flatMap(({ attempts }) => attempts)
          .map(({ startedAt, durationMs }) => ({ from: Date.parse(startedAt), until: Date.parse(startedAt) + durationMs }))
          .filter(({ from }) => from >= since.getTime())
          .toSorted((a, b) => a.from - b.from);
        expect(tried.length).toBeGreaterThan(10);
        // The first ends before anybody knows how long it has been; a millisecond is lost in rounding.
        const rests = tried.slice(2).map(({ from }, i) => from - tried[i + 1]!.until);
        expect(rests.filter((rest) => rest < REST_MS - 1)).toEqual([]);
        sink.script('/dead', 200);
        await eventually('all to have ended', async () =>
          (await admin.deliveries(dead.id)).every(({ status }) => ['delivered', 'failed'].includes(status)),
        );
        expect((await admin.deliveries(living.id)).map(({ attempt }) => attempt)).toEqual([1]);
        const posts = new Map<string, number>();
        for (const { headers } of sink.at('/dead'))
          posts.set(String(headers['x-webhook-id']), (posts.get(String(headers['x-webhook-id'])) ?? 0) + 1);
        expect([posts.size, Math.max(...posts.values()) <= 4]).toEqual([40, true]);
      });
    });

    webhooksAdminSuite(() => ({ db, world, sink, rice, admin, ended, one, happen }));
  });
}
