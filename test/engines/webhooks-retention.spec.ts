import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Actor } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { webhooksPersistence } from '#webhooks';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { WebhookSink } from '../harness/webhook-sink.js';
import { type Admin, publish, tenantAdmin, type Webhook, WebhooksWorld } from './webhooks-world.js';

const DAY_MS = 86_400_000;
/** More than one batch of the purge. */
const MANY = 2_300;

describe('what webhooks keep', () => {
  let db: TestDatabase;
  let sink: WebhookSink;
  let world: WebhooksWorld;
  let rice: Actor;
  let admin: Admin;

  beforeAll(async () => {
    [db, sink] = await Promise.all([cloneTestDatabase([webhooksPersistence]), WebhookSink.start()]);
    rice = tenantAdmin();
    world = await WebhooksWorld.start(db.endpoint, { retryDelaysMs: [1, 1, 1] });
    admin = world.as(rice);
  });
  afterAll(async () => {
    await world?.stop();
    await sink?.close();
    await db?.drop();
  });

  const sql = <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    db.unitOfWork.asSystem((tx) => tx.sql<Row>(text, values));
  const counts = async (): Promise<object> =>
    (
      await sql<object>(`select (select count(*) from webhooks.delivery)::int as deliveries, (select count(*) from webhooks.attempt)::int as attempts,
                                (select count(*) from webhooks.message)::int as messages`)
    )[0]!;
  const happen = (tokenId: number): Promise<void> => publish(db.unitOfWork, rice, 'nft.created', { tokenId });
  const ended = (webhook: Webhook, status: string): Promise<unknown> =>
    eventually(`a delivery that is ${status}`, async () => (await admin.deliveries(webhook.id)).some((each) => each.status === status));
  const makeOld = (days: number): Promise<unknown> =>
    sql(
      `with d as (update webhooks.delivery set created_at = created_at - $1 * interval '1 day')
       update webhooks.message set created_at = created_at - $1 * interval '1 day'`,
      [days],
    );

  it('the outbox keeps the key of what was relayed, and its bytes no longer', async () => {
    const listening = await admin.subscribe(sink.url('/ok'), 'nft.created');
    await happen(1);
    await publish(db.unitOfWork, rice, 'event.recorded', { nobody: 'listens' });
    await ended(listening, 'delivered');
    await eventuallyHolds(async () =>
      expect(await sql(`select topic, body, dedup_key <> '' as keyed from persistence.outbox order by seq`)).toEqual([
        { topic: 'nft.created', body: '', keyed: true },
        { topic: 'event.recorded', body: '', keyed: true },
      ]),
    );
    // The feed has both.
    expect(await counts()).toEqual({ deliveries: 1, attempts: 1, messages: 2 });
    expect((await sql<{ body: string }>('select body from webhooks.message order by position'))[0]!.body).toContain('"tokenId":1');
    await admin.call('DELETE', `/${listening.id}`);
  });

  it('what ended longer ago than the retention goes, whatever became of it; and what a pause held back so long; what is younger stays', async () => {
    const failing = await admin.subscribe(sink.url('/failing'), 'nft.created');
    sink.script('/failing', 500);
    await happen(2);
    await ended(failing, 'failed');
    await admin.call('PATCH', `/${failing.id}`, { active: false });
    const slow = await admin.subscribe(sink.url('/slow'), 'nft.created');
    sink.script('/slow', { hang: true });
    await happen(3);
    await sink.received('/slow', 1);
    await admin.call('DELETE', `/${slow.id}`);
    await eventuallyHolds(async () => expect((await admin.deliveries(slow.id)).map(({ status }) => status)).toEqual(['discarded']));
    const held = await admin.subscribe(sink.url('/held'), 'nft.created');
    await sql(`update webhooks.subscription set paused_since = now(), paused_reason = 'for this test' where id = $1`, [held.id]);
    await happen(4);
    await ended(held, 'pending');
    await makeOld(2);
    await happen(5);
    await eventually('the younger one', async () => (await admin.deliveries(held.id)).length === 2);
    await world.stop();

    await makeOld(29);
    await sql(
      `with m as (
         insert into webhooks.message (tenant_id, id, topic, body, created_at)
         select $1, gen_random_uuid(), 'nft.created', '{}', now() - interval '31 days' from generate_series(1, $3) returning id
       )
       insert into webhooks.delivery (tenant_id, id, subscription_id, message_id, event, url, status, created_at, updated_at)
       select $1, gen_random_uuid(), $2, id, 'nft.created', 'http://x/', 'delivered', now() - interval '31 days', now() from m`,
      [rice.tenantId, held.id, MANY],
    );
    expect(await counts()).toMatchObject({ deliveries: MANY + 5 });

    world = await WebhooksWorld.start(db.endpoint);
    admin = world.as(rice);
    await sql(`update webhooks.subscription set deleted_at = deleted_at - interval '31 days'`);
    await world.deleteBefore(new Date(Date.now() - 30 * DAY_MS));
    await eventuallyHolds(async () => expect(await counts()).toEqual({ deliveries: 1, attempts: 0, messages: 1 }));
    // The deleted one, and not those that are inactive or paused.
    expect((await sql<{ id: string }>('select id from webhooks.subscription')).map(({ id }) => id).toSorted()).toEqual(
      [failing.id, held.id].toSorted(),
    );
    expect((await admin.deliveries(held.id)).map(({ status }) => status)).toEqual(['pending']);
    await admin.call('POST', `/${held.id}/resume`);
    const [late] = await sink.received('/held', 1);
    expect(late!.body.toString()).toContain('"tokenId":5');
  });
});
