import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { Actor } from '#kernel';
import type { TestDatabase } from '#persistence/testing';
import { topics } from '../../apps/runtime/src/index.js';
import { eventually } from '../harness/eventually.js';
import { TopicCatalogue, type TopicDescription } from '../harness/topic-catalogue.js';
import type { WebhookSink } from '../harness/webhook-sink.js';
import { type Admin, type Delivery, tenantAdmin, type Webhook, type WebhooksWorld } from './webhooks-world.js';

/** Of a running world, as it is before each test. */
export interface WebhooksContext {
  readonly db: TestDatabase;
  readonly world: WebhooksWorld;
  readonly sink: WebhookSink;
  readonly rice: Actor;
  readonly admin: Admin;
  readonly ended: (webhook: Webhook, count?: number) => Promise<Delivery[]>;
  readonly one: (webhook: Webhook) => Promise<Delivery>;
  readonly happen: (...facts: object[]) => Promise<void>;
}

/** What an administrator does with subscriptions and deliveries. */
export function webhooksAdminSuite(context: () => WebhooksContext): void {
  let db: TestDatabase;
  let world: WebhooksWorld;
  let sink: WebhookSink;
  let rice: Actor;
  let admin: Admin;
  const { ended, one, happen }: Pick<WebhooksContext, 'ended' | 'one' | 'happen'> = {
    ended: (webhook, count) => context().ended(webhook, count),
    one: (webhook) => context().one(webhook),
    happen: (...facts) => context().happen(...facts),
  };
  beforeEach(() => {
    ({ db, world, sink, rice, admin } = context());
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

    it('rotates the secret; the old one stays valid for the grace period', async () => {
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
      expect(catalogue.topics.map(({ topic }) => topic).toSorted()).toEqual(
        [...topics.map(({ topic }) => topic), 'webhook.test'].toSorted(),
      );
      for (const { topic, description, example } of catalogue.topics) {
        expect([topic, example.event, description.length > 10, catalogue.faults(example)]).toEqual([topic, topic, true, []]);
        const { tenantId: _, ...incomplete } = example.data;
        expect(catalogue.faults({ ...example, data: incomplete })).toEqual(["/data must have required property 'tenantId'"]);
        expect(catalogue.faults({ ...example, data: { ...example.data, extra: 1 } })).toEqual(['/data/extra is not described']);
        expect(catalogue.faults({ ...example, timestamp: 'lately' })).toHaveLength(1);
      }
    });
  });
}
