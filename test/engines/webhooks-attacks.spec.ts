import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Actor } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { WebhookSink } from '../harness/webhook-sink.js';
import { type Admin, type Answer, publish, tenantAdmin, type Webhook, WebhooksWorld } from './webhooks-world.js';

interface Problem {
  readonly code: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

describe('webhooks, asked by somebody clumsy or worse', () => {
  let db: TestDatabase;
  let world: WebhooksWorld;
  let sink: WebhookSink;
  let rice: Actor;
  let admin: Admin;

  beforeAll(async () => {
    db = await cloneTestDatabase([webhooksPersistence]);
    world = await WebhooksWorld.start(db.endpoint, { retryDelaysMs: [1, 1, 1], subscriptionsPerTenant: 3 });
  });
  afterAll(async () => {
    await world?.stop();
    await db?.drop();
  });
  beforeEach(async () => {
    sink = await WebhookSink.start();
    rice = tenantAdmin();
    admin = world.as(rice);
  });
  afterEach(() => sink.close());

  const happen = (...facts: object[]): Promise<void> => publish(db.unitOfWork, rice, 'nft.created', ...facts);
  const ended = (webhook: Webhook, status: string): Promise<{ id: string }> =>
    eventually(`a delivery that is ${status}`, async () => (await admin.deliveries(webhook.id)).find((each) => each.status === status));
  const capitals = (webhook: Webhook): string => `/${webhook.id.toUpperCase()}`;

  describe('an id in capitals', () => {
    it('means the same subscription, and a secret rotated under it signs on', async () => {
      const webhook = await admin.subscribe(sink.url(), 'nft.created');
      expect(await admin.call('PATCH', capitals(webhook), { url: sink.url('/new') })).toMatchObject({
        status: 200,
        body: { id: webhook.id },
      });
      expect((await admin.call('POST', `${capitals(webhook)}/rotate-secret`)).status).toBe(200);
      const test = await admin.call<{ deliveryId: string }>('POST', `${capitals(webhook)}/test`);
      expect(test.status).toBe(202);
      const [request] = await sink.received('/new', 1);
      expect(request!.headers['x-webhook-signature-previous']).toMatch(/^sha256=/);
      expect(JSON.parse(request!.body.toString())).toMatchObject({ data: { subscriptionId: webhook.id } });
      await ended(webhook, 'delivered');
      const resent = await admin.call('POST', `${capitals(webhook)}/deliveries/${test.body.deliveryId.toUpperCase()}/resend`);
      expect(resent.status).toBe(202);
      await sink.received('/new', 2);
      expect((await admin.call('DELETE', capitals(webhook))).status).toBe(204);
    });
  });

  describe('a cursor', () => {
    /** A caller who knows the format of cursors can write any position into one that belongs to the list. */
    const forge = (genuine: string, ...place: unknown[]): string => {
      const [seal] = JSON.parse(Buffer.from(genuine, 'base64url').toString()) as [string];
      return Buffer.from(JSON.stringify([seal, ...place])).toString('base64url');
    };

    it('is refused when it is forged, of another list or no text', async () => {
      const [webhook, other] = [
        await admin.subscribe(sink.url(), 'nft.created'),
        await admin.subscribe(sink.url('/other'), 'nft.recalled'),
      ];
      await happen(...Array.from({ length: 101 }, (_, tokenId) => ({ tokenId })));
      const list = (of: Webhook, query: string): Promise<Answer<Problem>> => admin.call('GET', `/${of.id}/deliveries?${query}`);
      const link = await eventually('a second page', async () => (await list(webhook, '')).headers.get('link'));
      const cursor = new URL(/<([^>]+)>/.exec(link)![1]!, 'http://x').searchParams.get('cursor')!;
      expect((await list(webhook, `cursor=${cursor}`)).status).toBe(200);
      const id = webhook.id;
      const forged = [
        forge(cursor, '2026-02-30T00:00:00.000000Z', id),
        forge(cursor, '2026-11-28T25:00:00.000000Z', id),
        forge(cursor, 'Sat Nov 28 2026 (whenever)', id),
        forge(cursor, '2026-11-28', id),
        forge(cursor, '+275760-09-13T00:00:00.000Z', id),
        forge(cursor, "2026-11-28T00:00:00.000000Z' or true --", id),
        forge(cursor, '2026-11-28T00:00:00.000000Z', 'not an id'),
        forge(cursor, '2026-11-28T00:00:00.000000Z', id, 'more'),
        forge(cursor, 1, id),
        forge(cursor, '2026-11-28T00:00:00.000000Z'),
        forge(cursor),
        Buffer.from('{}').toString('base64url'),
        'null',
        '',
        '%00',
        'x'.repeat(5_000),
      ];
      for (const each of forged) expect([each, (await list(webhook, `cursor=${each}`)).status]).toEqual([each, 400]);
      expect((await list(other, `cursor=${cursor}`)).body.errors).toEqual([expect.objectContaining({ code: 'foreign_cursor' })]);
      expect((await list(webhook, `status=failed&cursor=${cursor}`)).status).toBe(400);
      for (const query of ['event=a%00b', 'status=done', 'status=failed&status=pending', 'event=x&event=y'])
        expect([query, (await list(webhook, query)).status]).toEqual([query, 400]);
    });
  });

  describe('a time to recover from', () => {
    it.each([
      'lately',
      '1',
      '',
      '2026-11-28T00:00:00',
      '2026-02-30T00:00:00Z',
      '2026-11-28T24:61:00Z',
      '+275760-09-14T00:00:00Z',
      'Infinity',
    ])('is not %j', async (since) => {
      const webhook = await admin.subscribe(sink.url(), 'nft.created');
      const { status, body } = await admin.call<Problem>('POST', `/${webhook.id}/recover`, { since });
      expect([status, body.errors?.[0]?.pointer]).toEqual([400, '/since']);
    });

    it('may lie far back or ahead', async () => {
      const webhook = await admin.subscribe(sink.url(), 'nft.created');
      for (const since of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59+14:00', '2026-11-28'])
        expect(await admin.call('POST', `/${webhook.id}/recover`, { since })).toMatchObject({ status: 202, body: { deliveries: 0 } });
      for (const body of [{}, [], { since: 1 }, { since: null }, { since: '2026-11-28', until: '2026-11-29' }])
        expect((await admin.call('POST', `/${webhook.id}/recover`, body)).status).toBe(400);
    });
  });

  it('many resends and recoveries at once send each time what was sent, and break nothing', async () => {
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    sink.script('/hook', 500);
    await happen({ tokenId: 1 });
    const { id } = await ended(webhook, 'failed');
    sink.script('/hook', { delayMs: 20 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 4 === 0
          ? admin.call<Problem>('POST', `/${webhook.id}/recover`, { since: '2020-01-01' })
          : admin.call<Problem>('POST', `/${webhook.id}/deliveries/${id}/resend`),
      ),
    );
    for (const { status, body } of answers)
      expect([202, 409]).toContain(status === 409 && body.code !== 'delivery_in_flight' ? body.code : status);
    const settled = await eventually('it to settle', async () => {
      const [delivery] = await admin.deliveries(webhook.id);
      return delivery!.status === 'delivered' && delivery;
    });
    const sent = sink.at('/hook');
    expect(settled).toMatchObject({ attempt: 4, resends: sent.length - 4 });
    expect(settled.attempts.map(({ number }) => number)).toEqual(sent.map((_, i) => i + 1));
    expect(new Set(sent.map(({ body }) => body.toString())).size).toBe(1);
  });

  describe('a registration', () => {
    it.each([
      'http://167772161/',
      'http://0xa000001/',
      'http://012.0.0.1/',
      'http:\\\\10.0.0.1\\',
      'http:10.0.0.1',
      'http://①⓪.0.0.1/',
      'http://168.63.129.16/',
      'http://100.100.100.200/',
      'http://[::ffff:169.254.169.254]/',
      'http://[64:ff9b::a9fe:a9fe]/',
      'http://[2002:a9fe:a9fe::]/',
      'http://[fe80::1]/',
      'http://[fd00:ec2::254]/',
      'http://0.0.0.0/',
    ])('does not reach %s', async (url) => {
      const { status, body } = await admin.call<Problem>('POST', '', { url, events: ['*'] });
      expect([status, body.code]).toEqual([422, 'webhook_url_not_allowed']);
      const webhook = await admin.subscribe(sink.url(), '*');
      expect((await admin.call<Problem>('PATCH', `/${webhook.id}`, { url })).body.code).toBe('webhook_url_not_allowed');
    });

    it.each([
      { url: ['http://127.0.0.1/'], events: ['*'] },
      { url: { href: 'http://127.0.0.1/' }, events: ['*'] },
      { url: 1, events: ['*'] },
      { url: null, events: ['*'] },
      { url: 'http://127.0.0.1/', events: '*' },
      { url: 'http://127.0.0.1/', events: [1] },
      { url: 'http://127.0.0.1/', events: [null] },
      { url: 'http://127.0.0.1/', events: { 0: '*' } },
      { url: 'http://127.0.0.1/', events: Array.from({ length: 51 }, () => '*') },
      { url: 'http://127.0.0.1/\u0000', events: ['*'] },
      { url: 'http://127.0.0.1/', events: ['*'], active: false },
      { url: 'http://127.0.0.1/', events: ['*'], tenantId: 'wool' },
      { url: 'http://127.0.0.1/', events: ['*'], __proto__: { url: 'x' }, id: '1' },
      'http://127.0.0.1/',
    ])('is malformed as %j', async (body) => {
      expect((await admin.call('POST', '', body)).status).toBe(400);
    });

    it.each(['', 'NFT.created', 'nft', 'nft.', '.*', '**', 'nft.*.*', 'nft.created ', 'constructor', '__proto__', '%', "' or 1=1"])(
      'knows no topic %j',
      async (topic) => {
        const { status, body } = await admin.call<Problem>('POST', '', { url: sink.url(), events: ['nft.*', topic] });
        expect([status, body.errors?.[0]?.pointer]).toEqual([422, '/events/1']);
        expect(sink.probed).toEqual([]);
      },
    );

    it('beyond the number that is allowed knocks at no door', async () => {
      for (let i = 0; i < 3; i++) await admin.subscribe(sink.url(), '*');
      const knocks = sink.probed.length;
      expect((await admin.call<Problem>('POST', '', { url: sink.url(), events: ['*'] })).body.code).toBe('quota_exceeded');
      expect(sink.probed).toHaveLength(knocks);
    });
  });

  describe('a secret', () => {
    it.each([
      { gracePeriodSeconds: -1 },
      { gracePeriodSeconds: 1.5 },
      { gracePeriodSeconds: '60' },
      { gracePeriodSeconds: 604_801 },
      { secret: 'mine' },
      [],
    ])('is not rotated by %j', async (body) => {
      const webhook = await admin.subscribe(sink.url(), '*');
      expect((await admin.call('POST', `/${webhook.id}/rotate-secret`, body)).status).toBe(400);
    });

    it('is nowhere but in the answer that made it', async () => {
      const webhook = await admin.subscribe(sink.url(), 'nft.created');
      const { body } = await admin.call<Webhook>('POST', `/${webhook.id}/rotate-secret`);
      await admin.call('POST', `/${webhook.id}/test`);
      await ended(webhook, 'delivered');
      const answers = await Promise.all([
        admin.call('GET', ''),
        admin.call('GET', `/${webhook.id}`),
        admin.call('PATCH', `/${webhook.id}`, { url: sink.url('/b') }),
        admin.call('GET', `/${webhook.id}/deliveries`),
        admin.call('POST', `/${webhook.id}/resume`),
      ]);
      const rows = await db.unitOfWork.asSystem((tx) =>
        tx.sql<object>(`select to_jsonb(s) as s, to_jsonb(d) as d, to_jsonb(m) as m from webhooks.subscription s
                        join webhooks.delivery d on d.subscription_id = s.id join webhooks.message m on m.id = d.message_id`),
      );
      const everything = JSON.stringify([
        answers.map((answer) => answer.body),
        rows,
        [...sink.deliveries, ...sink.probed].map(({ headers }) => headers),
      ]);
      for (const secret of [webhook.secret, body.secret])
        for (const form of [secret.slice(6, -1), Buffer.from(secret.slice(6), 'base64').toString('hex')])
          expect(everything).not.toContain(form);
    });
  });
});
