import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outboxBacklog } from '#persistence';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { deliveryBacklog, webhooksPersistence } from '#webhooks';

const MORE_THAN_COUNTED = 10_500;

describe('what waits on the way to receivers', () => {
  let db: TestDatabase;
  const tenant = randomUUID();

  beforeAll(async () => {
    db = await cloneTestDatabase([webhooksPersistence]);
  });
  afterAll(() => db?.drop());

  const topics = (count: number, released: boolean, relayed: boolean, age: string): Promise<unknown> =>
    db.unitOfWork.asSystem((tx) =>
      tx.sql(
        `insert into persistence.outbox (tenant_id, id, topic, dedup_key, body, chain_id, block_number, released, relayed_at, created_at)
         select $1, gen_random_uuid(), 'nft.created', gen_random_uuid()::text, '{}', 31337, i, $3, case when $4::boolean then now() end,
                now() - $5::interval + i * interval '1 millisecond'
         from generate_series(1, $2::int) i`,
        [tenant, count, released, relayed, age],
      ),
    );
  const deliveries = (count: number, status: string, due: string | null, subscription = randomUUID()): Promise<unknown> =>
    db.unitOfWork.asSystem((tx) =>
      tx.sql(
        `insert into webhooks.delivery
           (tenant_id, id, subscription_id, message_id, event, url, status, next_attempt_at, created_at, updated_at)
         select $1, gen_random_uuid(), $3, gen_random_uuid(), 'nft.created', 'http://receiver.example/', $4, now() + $5::interval, now(), now()
         from generate_series(1, $2::int)`,
        [tenant, count, subscription, status, due],
      ),
    );
  const backlog = () => db.unitOfWork.asSystem(async (tx) => ({ outbox: await outboxBacklog(tx), deliveries: await deliveryBacklog(tx) }));

  it('is nothing, without an age, where all has gone out', async () => {
    await topics(3, true, true, '1 hour');
    await deliveries(3, 'delivered', null);
    expect(await backlog()).toEqual({
      outbox: { waiting: 0, waitingSeconds: null, unfinal: 0, unfinalSeconds: null },
      deliveries: { due: 0, oldestSeconds: null },
    });
  });

  it('is counted with the age of its oldest: what is due, not what comes later or is held back or under way', async () => {
    await topics(2, true, false, '10 minutes');
    await topics(1, true, false, '1 minute');
    await topics(4, false, false, '1 hour');
    const busy = randomUUID();
    await deliveries(2, 'pending', '-1 minute', busy);
    await deliveries(5, 'retrying', '10 minutes', busy);
    await deliveries(1, 'retrying', '-1 hour');
    await deliveries(7, 'pending', null);
    await deliveries(3, 'sending', null);
    const { outbox, deliveries: found } = await backlog();
    expect([outbox.waiting, outbox.unfinal, found.due]).toEqual([3, 4, 3]);
    const minutes = [outbox.waitingSeconds, outbox.unfinalSeconds, found.oldestSeconds].map((seconds) => Math.floor(seconds! / 60));
    // The database's clock runs on while the test does.
    for (const [i, least] of [9, 59, 60].entries()) expect(minutes[i]).toBeGreaterThanOrEqual(least);
    for (const [i, most] of [20, 70, 70].entries()) expect(minutes[i]).toBeLessThan(most);
  });

  it('ends at ten thousand, however much there is', async () => {
    await topics(MORE_THAN_COUNTED, true, false, '1 minute');
    await topics(MORE_THAN_COUNTED, false, false, '1 minute');
    await deliveries(MORE_THAN_COUNTED, 'pending', '-1 second');
    const { outbox, deliveries: found } = await backlog();
    expect([outbox.waiting, outbox.unfinal, found.due]).toEqual([10_000, 10_000, 10_000]);
  });
});
