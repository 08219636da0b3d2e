import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WebhooksConfig } from '#config';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { WebhookSink } from '../harness/webhook-sink.js';
import { type Admin, publish, tenantAdmin, WebhooksWorld } from './webhooks-world.js';

/** Longer than any machine takes for a test: what hangs hangs until its sink is closed. */
const FOR_EVER_MS = 3_600_000;
const SLOTS = 16;

describe('the slots of a worker', () => {
  let db: TestDatabase;
  let hanging: WebhookSink;
  let sink: WebhookSink;
  let world: WebhooksWorld | null = null;

  beforeAll(async () => {
    db = await cloneTestDatabase([webhooksPersistence]);
  });
  afterAll(() => db.drop());
  beforeEach(async () => {
    [hanging, sink] = await Promise.all([WebhookSink.start(), WebhookSink.start()]);
  });
  afterEach(async () => {
    await hanging.close(); // its attempts end, and the worker may
    await world?.stop();
    await sink.close();
  });

  const start = async (changes: Partial<WebhooksConfig> = {}): Promise<WebhooksWorld> =>
    (world = await WebhooksWorld.start(db.endpoint, {
      timeoutMs: FOR_EVER_MS,
      retryDelaysMs: [FOR_EVER_MS, FOR_EVER_MS, FOR_EVER_MS],
      concurrency: SLOTS,
      subscriptionsPerTenant: 200,
      ...changes,
    }));
  const facts = (count: number): object[] => Array.from({ length: count }, (_, tokenId) => ({ tokenId }));
  const happen = (admin: Admin, count: number): Promise<void> => publish(db.unitOfWork, admin.actor, 'nft.created', ...facts(count));

  async function hang(admin: Admin, subscriptions: number): Promise<void> {
    for (let n = 0; n < subscriptions; n += 20)
      await Promise.all(
        Array.from({ length: Math.min(20, subscriptions - n) }, (_, i) => {
          hanging.script(`/${n + i}`, { hang: true });
          return admin.subscribe(hanging.url(`/${n + i}`), 'nft.created');
        }),
      );
  }
  const sendingOf = (admin: Admin): Promise<number> =>
    db.unitOfWork.asSystem(async (tx) => {
      const [row] = await tx.sql<{ n: number }>(
        `select count(*)::int as n from webhooks.delivery where tenant_id = $1 and status = 'sending'`,
        [admin.actor.tenantId],
      );
      return row!.n;
    });

  it('are not all taken by one tenant, though two hundred of its receivers hang: another tenant is served meanwhile', async () => {
    const here = await start();
    const [greedy, other] = [here.as(tenantAdmin()), here.as(tenantAdmin())];
    await hang(greedy, 200);
    await other.subscribe(sink.url(), 'nft.created');
    await happen(greedy, 3);
    await eventually('its share to hang', () => hanging.deliveries.length >= SLOTS / 2);
    for (let served = 20; served <= 100; served += 20) {
      await happen(other, 20);
      await sink.received('/hook', served);
      expect([served, await sendingOf(greedy), hanging.deliveries.length]).toEqual([served, SLOTS / 2, SLOTS / 2]);
    }
  });

  it('are not all taken by several tenants either, one after the other: the next one still finds some', async () => {
    const here = await start();
    const greedy = [1, 2, 3].map(() => here.as(tenantAdmin()));
    const other = here.as(tenantAdmin());
    for (const each of greedy) await hang(each, 10);
    await other.subscribe(sink.url(), 'nft.created');
    for (const each of greedy) await happen(each, 3);
    await eventually('all of them to hang', async () => (await Promise.all(greedy.map(sendingOf))).every((n) => n > 0));
    await happen(other, 40);
    await sink.received('/hook', 40);
    const held = await Promise.all(greedy.map(sendingOf));
    expect(held.reduce((sum, n) => sum + n, 0)).toBeLessThan(SLOTS);
    expect(Math.max(...held)).toBeLessThanOrEqual(SLOTS / 2);
  });

  it('all go to deliveries that are answered, a subscription with one waiting next to one with many', async () => {
    const admin = (await start({ perSubscription: 8 })).as(tenantAdmin());
    await admin.subscribe(sink.url('/busy'), 'nft.created');
    await admin.subscribe(sink.url('/quiet'), 'event.recorded');
    await Promise.all([happen(admin, 300), publish(db.unitOfWork, admin.actor, 'event.recorded', { eventId: 'x' })]);
    await sink.received('/busy', 300);
    await sink.received('/quiet', 1);
    expect(new Set(sink.deliveries.map(({ headers }) => headers['x-webhook-id'])).size).toBe(301);
  });

  it('serve one tenant even where there is only one', async () => {
    const admin = (await start({ concurrency: 1 })).as(tenantAdmin());
    await admin.subscribe(sink.url(), 'nft.created');
    await happen(admin, 5);
    expect(await sink.received('/hook', 5)).toHaveLength(5);
  });
});
