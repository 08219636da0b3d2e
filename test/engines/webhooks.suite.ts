import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { type Actor, TOPICS } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { TopicCatalogue, type TopicDescription } from '../harness/topic-catalogue.js';
import { WebhookSink } from '../harness/webhook-sink.js';
import type { RunningQueueEngine } from './queue.suite.js';
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

    describe('a subscription', () => {
      it('is answered with its secret once, and lists without it', async () => {
        const { status, body } = await admin.call<Webhook>('POST', '', { url: sink.url(), events: ['custody.*', 'custody.*'] });
        expect(status).toBe(201);
        expect(body).toEqual({
          id: expect.any(String),
          url: sink.url(),
          events: ['custody.*'],
          active: true,
          paused: null,
          createdAt: expect.any(String),
          secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        });
        const { secret, ...rest } = body;
        expect((await admin.call('GET', '')).body).toEqual([rest]);
        expect((await admin.call('GET', `/${body.id}`)).body).toEqual(rest);
        const [row] = await db.unitOfWork.asSystem((tx) => tx.sql('select * from webhooks.subscription where id = $1', [body.id]));
        expect(JSON.stringify(row)).not.toContain(secret.slice(6));
        expect(sink.deliveries).toHaveLength(0);
        expect(sink.probed.map(({ method }) => method)).toEqual(['HEAD']);
      });

      it.each([
        ['not a URL', 'nonsense', 'webhook_url_invalid'],
        ['with a password', 'http://u:p@127.0.0.1/', 'webhook_url_invalid'],
        ['of another protocol', 'ftp://127.0.0.1/', 'webhook_url_invalid'],
        ['of the metadata service', 'http://169.254.169.254/latest', 'webhook_url_not_allowed'],
        ['of a private network', 'http://10.0.0.1/', 'webhook_url_not_allowed'],
        ['mapped', 'http://[::ffff:a00:1]/', 'webhook_url_not_allowed'],
        ['of a network that is not listed', 'http://[::1]/', 'webhook_url_not_allowed'],
        ['where nobody listens', 'http://127.0.0.1:1/', 'webhook_url_unreachable'],
        ['of no known name', 'http://nobody.invalid/', 'webhook_url_unreachable'],
      ])('is refused for a URL %s', async (_, url, code) => {
        const { status, body } = await admin.call('POST', '', { url, events: ['*'] });
        expect(status).toBe(422);
        expect(body).toMatchObject({ code, errors: [{ pointer: '/url', code }] });
        expect((await admin.call('GET', '')).body).toEqual([]);
      });

      it('is reachable whatever is answered, and not when nothing is', async () => {
        for (const probes of [404, 500, { status: 302, headers: { location: 'http://10.0.0.1/' } }]) {
          sink.probes = probes;
          await admin.subscribe(sink.url(), '*');
        }
        sink.probes = { hang: true };
        sink.script('/hook', 405);
        await admin.subscribe(sink.url(), '*');
        expect(sink.probed.at(-1)!.method).toBe('GET');
        expect(sink.deliveries.at(-1)!.headers['x-webhook-event']).toBe('webhook.test');
        sink.script('/hook', { reset: 'before' });
        expect((await admin.call('POST', '', { url: sink.url(), events: ['*'] })).body).toMatchObject({ code: 'webhook_url_unreachable' });
      });

      it.each([
        [{ url: 'http://127.0.0.1/', events: ['nft.sold'] }, 422, '/events/0'],
        [{ url: 'http://127.0.0.1/', events: [] }, 400, '/events'],
        [{ url: 'http://127.0.0.1/' }, 400, '/events'],
        [{ url: 'http://127.0.0.1/', events: ['*'], secret: 'mine' }, 400, '/secret'],
        [[], 400, ''],
      ])('is refused for %j', async (body, status, pointer) => {
        const answer = await admin.call<{ errors: unknown[] }>('POST', '', body);
        expect(answer.status).toBe(status);
        expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer }));
      });

      it('changes by what is said only; a new URL is checked like the first', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        const change = (body: unknown) => admin.call<Webhook>('PATCH', `/${webhook.id}`, body);
        const { secret: _, ...before } = webhook;
        expect(await change({})).toMatchObject({ status: 200, body: before });
        expect((await change({ events: ['event.recorded'], active: false })).body).toEqual({
          ...before,
          events: ['event.recorded'],
          active: false,
        });
        expect((await change({ url: sink.url('/new') })).body.url).toBe(sink.url('/new'));
        expect(await change({ url: 'http://169.254.169.254/' })).toMatchObject({ status: 422, body: { code: 'webhook_url_not_allowed' } });
        expect(await change({ url: 'http://127.0.0.1:1/' })).toMatchObject({ status: 422, body: { code: 'webhook_url_unreachable' } });
        for (const field of ['url', 'events', 'active'])
          expect(await change({ [field]: null })).toMatchObject({ status: 422, body: { errors: [{ pointer: `/${field}` }] } });
        expect(await change({ paused: null })).toMatchObject({ status: 400 });
      });

      it('that is not active or deleted discards what waits, visibly', async () => {
        const [idle, gone] = [await admin.subscribe(sink.url(), 'nft.created'), await admin.subscribe(sink.url(), 'nft.created')];
        sink.script('/hook', { status: 500, delayMs: 50 });
        await happen();
        await sink.received('/hook', 2);
        await admin.call('PATCH', `/${idle.id}`, { active: false });
        expect((await admin.call('DELETE', `/${gone.id}`)).status).toBe(204);
        await happen({ tokenId: 2 });
        expect(await ended(idle)).toEqual([
          expect.objectContaining({ status: 'discarded', success: false, error: expect.stringContaining('not active') }),
        ]);
        expect(await ended(gone)).toEqual([expect.objectContaining({ status: 'discarded', error: expect.stringContaining('deleted') })]);
        for (const [method, path] of [
          ['GET', ''],
          ['PATCH', ''],
          ['DELETE', ''],
          ['POST', '/test'],
          ['POST', '/rotate-secret'],
        ] as const)
          expect((await admin.call(method, `/${gone.id}${path}`, method === 'PATCH' ? {} : undefined)).status).toBe(404);
      });

      it('of another tenant is not there at all', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        await happen();
        const delivery = await one(webhook);
        const stranger = world.as(tenantAdmin());
        for (const [method, path, body] of [
          ['GET', ''],
          ['PATCH', '', { active: false }],
          ['DELETE', ''],
          ['GET', '/deliveries'],
          ['POST', '/test'],
          ['POST', '/resume'],
          ['POST', '/rotate-secret', {}],
          ['POST', '/recover', { since: '2020-01-01T00:00:00Z' }],
          ['POST', `/deliveries/${delivery.id}/resend`],
        ] as const)
          expect([path, (await stranger.call(method, `/${webhook.id}${path}`, body)).status]).toEqual([path, 404]);
        for (const path of ['/not-a-uuid', '/not-a-uuid/deliveries']) expect((await admin.call('GET', path)).status).toBe(404);
        expect((await admin.call<Webhook>('GET', `/${webhook.id}`)).body.active).toBe(true);
      });
    });

    describe('an administrator', () => {
      it('sends a test to one subscription alone, inactive and not listening', async () => {
        const webhook = await admin.subscribe(sink.url('/a'), 'custody.transferred');
        await admin.subscribe(sink.url('/b'), '*');
        await admin.call('PATCH', `/${webhook.id}`, { active: false });
        const { status, body } = await admin.call<{ deliveryId: string }>('POST', `/${webhook.id}/test`);
        expect(status).toBe(202);
        const [request] = await sink.received('/a', 1);
        expect(request!.headers['x-webhook-id']).toBe(body.deliveryId);
        expect(JSON.parse(request!.body.toString())).toEqual({
          event: 'webhook.test',
          timestamp: expect.any(String),
          data: {
            tenantId: rice.tenantSlug,
            subscriptionId: webhook.id,
            message: expect.any(String),
            nonce: expect.any(String),
            requestedAt: expect.any(String),
          },
        });
        expect(await one(webhook)).toMatchObject({ id: body.deliveryId, event: 'webhook.test', status: 'delivered' });
        expect(sink.at('/b')).toHaveLength(0);
      });

      it('sends a failed delivery again: same id, same bytes, counted apart; and recovers all since a time', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        sink.script('/hook', 500);
        await happen({ tokenId: 1 }, { tokenId: 2 });
        const failed = await ended(webhook, 2);
        sink.script('/hook', 200);
        const path = `/${webhook.id}/deliveries/${failed[0]!.id}/resend`;
        expect(await admin.call('POST', path)).toMatchObject({ status: 202, body: { deliveryId: failed[0]!.id } });
        await eventually('the resend', async () => (await ended(webhook, 2)).some(({ status }) => status === 'delivered'));
        const { status, body } = await admin.call('POST', `/${webhook.id}/recover`, { since: '2020-01-01T00:00:00Z' });
        expect([status, body]).toEqual([202, { deliveries: 1 }]);
        const all = await eventually('the recovery', async () => {
          const now = await ended(webhook, 2);
          return now.every((each) => each.status === 'delivered') && now;
        });
        for (const delivery of all) {
          expect(delivery).toMatchObject({ attempt: 4, resends: 1, error: null });
          expect(delivery.attempts.map(({ manual }) => manual)).toEqual([false, false, false, false, true]);
          const sent = sink.at('/hook').filter(({ headers }) => headers['x-webhook-id'] === delivery.id);
          expect(sent).toHaveLength(5);
          expect(new Set(sent.map((each) => each.body.toString())).size).toBe(1);
        }
        expect((await admin.call('POST', `/${webhook.id}/deliveries/${webhook.id}/resend`)).status).toBe(404);
        expect((await admin.call('POST', `/${webhook.id}/recover`, { since: 'lately' })).status).toBe(400);
      });

      it('rotates the secret; the old one signs along for the grace period', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        const { status, body } = await admin.call<Webhook>('POST', `/${webhook.id}/rotate-secret`, { gracePeriodSeconds: 60 });
        expect(status).toBe(200);
        expect(body.secret).not.toBe(webhook.secret);
        await happen();
        const request = (await sink.received('/hook', 1))[0]!;
        const [bytes, headers] = [request.body, request.headers as Record<string, string>];
        const hmac = (secret: string): string => `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
        expect(headers['x-webhook-signature']).toBe(hmac(body.secret));
        expect(headers['x-webhook-signature-previous']).toBe(hmac(webhook.secret));
        for (const secret of [webhook.secret, body.secret]) new StandardWebhook(secret).verify(bytes, headers);
        await admin.call('POST', `/${webhook.id}/rotate-secret`, { gracePeriodSeconds: 0 });
        await happen();
        expect((await sink.received('/hook', 2))[1]!.headers['x-webhook-signature-previous']).toBeUndefined();
      });

      it('pages back beyond the last hundred deliveries, newest first, by topic and state', async () => {
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        await happen(...Array.from({ length: 130 }, (_, tokenId) => ({ tokenId })));
        await eventually('all to be delivered', async () => sink.at('/hook').length >= 130);
        const first = await admin.call<Delivery[]>('GET', `/${webhook.id}/deliveries`);
        expect(first.body).toHaveLength(100);
        const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')![1]!;
        const second = await admin.call<Delivery[]>('GET', next);
        expect(second.body).toHaveLength(30);
        expect(second.headers.get('link')).toBeNull();
        const all = [...first.body, ...second.body];
        expect(new Set(all.map(({ id }) => id)).size).toBe(130);
        const numbers = all
          .map(({ id }) => sink.at('/hook').find(({ headers }) => headers['x-webhook-id'] === id)!)
          .map(({ body }) => (JSON.parse(body.toString()) as { data: { tokenId: number } }).data.tokenId);
        expect(numbers).toEqual(Array.from({ length: 130 }, (_, i) => 129 - i));
        const of = async (query: string) => (await admin.call<Delivery[]>('GET', `/${webhook.id}/deliveries?${query}`)).body.length;
        expect([await of('event=nft.recalled'), await of('event=nft.created&status=failed')]).toEqual([0, 0]);
        expect((await admin.call('GET', `/${webhook.id}/deliveries?cursor=zzz`)).status).toBe(400);
      });

      it('reads the topics with their schemas, and an example of each that is as its schema says', async () => {
        const catalogue = TopicCatalogue.of((await admin.call<TopicDescription[]>('GET', '/topics')).body);
        expect(catalogue.topics.map(({ topic }) => topic).toSorted()).toEqual([...TOPICS].toSorted());
        for (const { topic, description, example } of catalogue.topics) {
          expect([topic, example.event, description.length > 10, catalogue.faults(example)]).toEqual([topic, topic, true, []]);
          const { tenantId: _, ...incomplete } = example.data;
          expect(catalogue.faults({ ...example, data: incomplete })).toEqual(["/data must have required property 'tenantId'"]);
          expect(catalogue.faults({ ...example, data: { ...example.data, extra: 1 } })).toEqual(['/data/extra is not described']);
          expect(catalogue.faults({ ...example, timestamp: 'lately' })).toHaveLength(1);
        }
      });
    });
  });
}
