import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { WebhooksConfig } from '#config';
import type { Actor } from '#kernel';
import { anyMessage, cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { BullMqJobQueue, openQueueConnections, type QueueEngine } from '#queue';
import { webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { WebhookSink } from '../harness/webhook-sink.js';
import { findRedis, startRedis } from './queue-redis.js';
import { type Admin, type Delivery, publish, shortened, tenantAdmin, type Webhook, WebhooksWorld } from './webhooks-world.js';

describe('webhooks through faults', () => {
  let db: TestDatabase;
  let sink: WebhookSink;
  let rice: Actor;
  const worlds: WebhooksWorld[] = [];
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    db = await cloneTestDatabase([webhooksPersistence]);
    sink = await WebhookSink.start();
    rice = tenantAdmin();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await Promise.all(worlds.splice(0).map((world) => world.stop()));
    await sink.close();
    await db.drop();
  });

  const start = async (changes: Partial<WebhooksConfig> = {}, worker = true, queue?: QueueEngine): Promise<WebhooksWorld> => {
    const world = await WebhooksWorld.start(db.endpoint, changes, worker, queue);
    worlds.push(world);
    return world;
  };
  const stop = (world: WebhooksWorld): Promise<void> => {
    worlds.splice(worlds.indexOf(world), 1);
    return world.stop();
  };
  const startProcess = async (changes: Partial<WebhooksConfig> = {}): Promise<ChildProcess> => {
    const script = fileURLToPath(new URL('./webhooks-worker-process.js', import.meta.url));
    const settings = JSON.stringify({ endpoint: db.endpoint, webhooks: shortened(changes) });
    const child = spawn(process.execPath, [script, settings], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  };
  const happen = (...facts: object[]): Promise<void> => publish(db.unitOfWork, rice, 'nft.created', ...facts);
  const many = (count: number): object[] => Array.from({ length: count }, (_, tokenId) => ({ tokenId }));
  const status = (admin: Admin, webhook: Webhook, wanted: string): Promise<Delivery> =>
    eventually(`a delivery that is ${wanted}`, async () => (await admin.deliveries(webhook.id)).find((each) => each.status === wanted));

  it('a worker that is killed in mid-request: the attempt counts as interrupted, and another worker delivers', async () => {
    const api = await start({}, false);
    const admin = api.as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    sink.script('/hook', { hang: true }, 200);
    const worker = await startProcess();
    await happen({ tokenId: 1 });
    await sink.received('/hook', 1);
    expect(await status(admin, webhook, 'sending')).toMatchObject({ attempt: 1, success: false });
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    await start();
    const delivered = await status(admin, webhook, 'delivered');
    expect(delivered).toMatchObject({ attempt: 2, statusCode: 200 });
    expect(delivered.attempts).toEqual([
      expect.objectContaining({ number: 1, statusCode: null, error: expect.stringContaining('interrupted') }),
      expect.objectContaining({ number: 2, statusCode: 200, error: null }),
    ]);
    const [first, second] = await sink.received('/hook', 2);
    expect(second!.headers['x-webhook-id']).toBe(first!.headers['x-webhook-id']);
    expect(second!.body.equals(first!.body)).toBe(true);
  });

  it('an attempt that a backup brings back after months is interrupted like any other, and holds up no other', async () => {
    const admin = (await start()).as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    await happen(...many(2));
    await sink.received('/hook', 2);
    await eventually('both to be written down', async () =>
      (await admin.deliveries(webhook.id)).every((each) => each.status === 'delivered'),
    );
    await db.unitOfWork.asSystem((tx) =>
      tx.sql(
        `update webhooks.delivery set status = 'sending', attempt = attempt + 1, delivered_at = null, leased_until = now() - interval '1 minute',
           started_at = now() - case when ctid = (select min(ctid) from webhooks.delivery) then interval '90 days' else interval '1 minute' end`,
      ),
    );
    await sink.received('/hook', 4);
    const again = await eventually('both again', async () => {
      const all = await admin.deliveries(webhook.id);
      return all.every((each) => each.status === 'delivered') && all;
    });
    expect(again.map(({ attempts }) => attempts.map(({ statusCode }) => statusCode))).toEqual([
      [200, null, 200],
      [200, null, 200],
    ]);
  });

  it('a worker that wakes up after its lease was given away changes nothing any more', async () => {
    const admin = (await start({}, false)).as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    sink.script('/hook', { hang: true }, 200);
    const frozen = await startProcess();
    await happen({ tokenId: 1 });
    await sink.received('/hook', 1);
    frozen.kill('SIGSTOP');
    await start();
    await status(admin, webhook, 'delivered');
    frozen.kill('SIGCONT');
    const late = await eventually('the late outcome', async () => {
      const [delivery] = await admin.deliveries(webhook.id);
      return delivery!.attempts[0]!.error?.startsWith('No answer') && delivery;
    });
    expect(late).toMatchObject({ status: 'delivered', success: true, attempt: 2, statusCode: 200, error: null });
    expect(sink.at('/hook')).toHaveLength(2);
  });

  it('SIGTERM in mid-request: the request ends and is written down', async () => {
    const admin = (await start({}, false)).as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    sink.script('/hook', { delayMs: 300 });
    const worker = await startProcess();
    await happen({ tokenId: 1 });
    await sink.received('/hook', 1);
    worker.kill('SIGTERM');
    await once(worker, 'exit');
    expect(await admin.deliveries(webhook.id)).toEqual([expect.objectContaining({ status: 'delivered', attempt: 1 })]);
    expect(sink.at('/hook')).toHaveLength(1);
  });

  it('two relays and workers share the work: every fact once to each, and never more in flight than a subscription may have', async () => {
    const [one] = await Promise.all([start({ perSubscription: 2 }), start({ perSubscription: 2 })]);
    const admin = one.as(rice);
    let most = 0;
    const webhooks = await Promise.all(['/a', '/b', '/c'].map((path) => admin.subscribe(sink.url(path), 'nft.created')));
    for (const path of ['/a', '/b', '/c']) sink.script(path, { delayMs: 20 });
    await Promise.all(Array.from({ length: 6 }, () => happen(...many(20))));
    await eventually('all deliveries', async () => {
      const [{ running }] = (await db.unitOfWork.asSystem((tx) =>
        tx.sql<{ running: number }>(
          `select coalesce(max(n), 0)::int as running from (select count(*) n from webhooks.delivery where status = 'sending' group by subscription_id) s`,
        ),
      )) as [{ running: number }];
      most = Math.max(most, running);
      return sink.deliveries.length >= 360;
    });
    expect(most).toBeLessThanOrEqual(2);
    for (const [i, path] of ['/a', '/b', '/c'].entries()) {
      const sent = sink.at(path);
      expect(sent).toHaveLength(120);
      expect(new Set(sent.map(({ headers }) => headers['x-webhook-id'])).size).toBe(120);
      await eventually('all to be settled', async () => (await admin.deliveries(webhooks[i]!.id)).every(({ success }) => success));
    }
  });

  it('what came while nobody relayed is delivered when somebody does, in order; what is not final waits', async () => {
    const admin = (await start({}, false)).as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    await happen(...many(5));
    await db.unitOfWork.inTransaction(rice, (tx) =>
      tx.publish([
        anyMessage('nft.created', { tokenId: 99 }, { key: 'unfinal', occurredAt: new Date(), block: { chainId: 1, number: 7 } }),
      ]),
    );
    expect(await admin.deliveries(webhook.id)).toEqual([]);
    await start({ perSubscription: 1 });
    const sent = await sink.received('/hook', 5);
    expect(sent.map(({ body }) => (JSON.parse(body.toString()) as { data: { tokenId: number } }).data.tokenId)).toEqual([0, 1, 2, 3, 4]);
    expect(await admin.deliveries(webhook.id)).toHaveLength(5);
  });

  it('a lost wake-up costs a polling interval, not a delivery', async () => {
    const api = await start({}, false);
    const worker = await start();
    const admin = api.as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    await db.dataSource.query('drop schema bullmq cascade');
    const { status: answered } = await admin.call('POST', `/${webhook.id}/test`);
    expect(answered).toBe(202);
    await happen({ tokenId: 1 });
    await sink.received('/hook', 2);
    await stop(worker);
  });

  const redis = findRedis();
  (redis && 'program' in redis ? it : it.skip)(
    'a Redis that dies costs wake-ups, not deliveries, and wakes again when it is back (needs redis-server)',
    async () => {
      const server = await startRedis(redis!);
      const waking: string[] = [];
      const listener = new BullMqJobQueue(await openQueueConnections(server.engine, () => undefined));
      try {
        const api = await start({}, false, server.engine);
        await start({}, true, server.engine);
        const admin = api.as(rice);
        const webhook = await admin.subscribe(sink.url(), 'nft.created');
        await server.kill!();
        const { status: answered } = await admin.call('POST', `/${webhook.id}/test`);
        expect(answered).toBe(202);
        await happen(...many(5));
        await sink.received('/hook', 6);
        await server.startAgain!();
        await listener.consume('webhooks.wake-up', async (_, { id }) => void waking.push(id));
        await eventually(
          'a wake-up through Redis',
          async () => {
            await admin.call('POST', `/${webhook.id}/test`);
            return waking.length > 0;
          },
          { everyMs: 250 },
        );
        await eventually('all to be delivered', async () => (await admin.deliveries(webhook.id)).every(({ success }) => success));
      } finally {
        await Promise.all(worlds.splice(0).map((world) => world.stop()));
        await listener.close();
        await server.stop();
      }
    },
  );

  it('a subscription through which nothing comes for the whole span is paused, holds what waits, and goes on when resumed', async () => {
    const admin = (await start({ retryDelaysMs: [20, 20, 20], pauseAfterMs: 200 })).as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    const read = async (): Promise<Webhook> => (await admin.call<Webhook>('GET', `/${webhook.id}`)).body;
    sink.script('/hook', 500);
    const paused = await eventually(
      'the pause',
      async () => {
        await happen({ tokenId: 9 });
        return (await read()).paused;
      },
      { everyMs: 100 },
    );
    expect(paused).toEqual({ since: expect.any(String), reason: expect.stringContaining('No delivery has succeeded since') });
    expect((await read()).active).toBe(true);
    const before = sink.at('/hook').length;
    await happen({ tokenId: 10 });
    const held = await status(admin, webhook, 'pending');
    expect(held).toMatchObject({ nextAttemptAt: null, attempt: 0 });
    sink.script('/hook', 200);
    expect((await admin.call<{ paused: null }>('POST', `/${webhook.id}/resume`)).body.paused).toBeNull();
    await eventually('what was held', async () =>
      (await admin.deliveries(webhook.id)).find(({ id, success }) => id === held.id && success),
    );
    expect(sink.at('/hook').length).toBeGreaterThan(before);
    expect((await read()).paused).toBeNull();
  });

  it('a resend takes the place of the retry that waits: sent once, and never again by itself', async () => {
    const admin = (await start({ retryDelaysMs: [3_600_000, 3_600_000, 3_600_000] })).as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    sink.script('/hook', 500, 200);
    await happen({ tokenId: 1 });
    const waiting = await status(admin, webhook, 'retrying');
    expect(Date.parse(waiting.nextAttemptAt!)).toBeGreaterThan(Date.parse(waiting.createdAt) + 3_500_000);
    expect((await admin.call('POST', `/${webhook.id}/deliveries/${waiting.id}/resend`)).status).toBe(202);
    expect(await status(admin, webhook, 'delivered')).toMatchObject({ attempt: 1, resends: 1, nextAttemptAt: null, error: null });
    expect(sink.at('/hook')).toHaveLength(2);
  });

  it('an address that is not allowed any more is not reached: not by what waits, not by a test, not by a change', async () => {
    const allowing = await start({}, false);
    const webhook = await allowing.as(rice).subscribe(sink.url(), 'nft.created');
    const probes = sink.probed.length;
    const admin = (await start({ allowedNetworks: [], retryDelaysMs: [1, 1, 1] })).as(rice);
    await happen({ tokenId: 1 });
    expect((await admin.call('POST', `/${webhook.id}/test`)).status).toBe(202);
    const failed = await eventually('both to fail', async () => {
      const all = await admin.deliveries(webhook.id);
      return all.length === 2 && all.every((each) => each.status === 'failed') && all;
    });
    for (const each of failed) expect(each).toMatchObject({ attempt: 4, statusCode: null, error: 'The address is not allowed.' });
    const changed = await admin.call('PATCH', `/${webhook.id}`, { url: sink.url('/elsewhere') });
    expect(changed).toMatchObject({ status: 422, body: { code: 'webhook_url_not_allowed' } });
    expect([sink.deliveries.length, sink.probed.length]).toEqual([0, probes]);
  });

  it('many exhausted deliveries within the span pause nothing: never on a count', async () => {
    const admin = (await start({ retryDelaysMs: [1, 1, 1], pauseAfterMs: 3_600_000 })).as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    sink.script('/hook', 500);
    await happen(...many(12));
    await eventually(
      'all to fail',
      async () => (await admin.deliveries(webhook.id)).filter((each) => each.status === 'failed').length === 12,
    );
    expect((await admin.call<Webhook>('GET', `/${webhook.id}`)).body.paused).toBeNull();
  });

  it('one success clears the record of a failing subscription', async () => {
    const admin = (await start({ retryDelaysMs: [20, 20, 20], pauseAfterMs: 3_600_000 })).as(rice);
    const webhook = await admin.subscribe(sink.url(), 'nft.created');
    sink.script('/hook', 500, 500, 500, 500, 200, 500);
    await happen({ tokenId: 1 });
    await status(admin, webhook, 'failed');
    const aged = await db.unitOfWork.asSystem((tx) =>
      tx.sql(
        `update webhooks.subscription set failing_since = failing_since - interval '1 day' where failing_since is not null returning id`,
      ),
    );
    expect(aged).toEqual([{ id: webhook.id }]);
    await happen({ tokenId: 2 });
    await status(admin, webhook, 'delivered');
    await happen({ tokenId: 3 });
    await eventually(
      'the third to fail',
      async () => (await admin.deliveries(webhook.id)).filter((each) => each.status === 'failed').length === 2,
    );
    expect((await admin.call<Webhook>('GET', `/${webhook.id}`)).body.paused).toBeNull();
  });

  it('a tenant has as many subscriptions as it may, also when it asks for them all at once', async () => {
    const admin = (await start({ subscriptionsPerTenant: 3 }, false)).as(rice);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => admin.call<{ code?: string }>('POST', '', { url: sink.url(), events: ['*'] })),
    );
    expect(answers.map(({ status: code }) => code).toSorted((a, b) => a - b)).toEqual([201, 201, 201, 429, 429, 429]);
    expect(answers.find(({ status: code }) => code === 429)!.body.code).toBe('quota_exceeded');
  });
});
