import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';

describe('smoke', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await cloneTestDatabase([]);
  });
  afterAll(() => db.drop());
  it('works', async () => {
    const tenantId = '00000000-0000-4000-8000-000000000001';
    await db.unitOfWork.inTransaction({ tenantId }, (tx) =>
      tx.publish([{ topic: 'webhook.test', key: 'a', occurredAt: new Date(), data: { a: 1 } }]),
    );
    expect(await db.unitOfWork.asSystem((tx) => tx.sql('select topic from persistence.outbox'))).toEqual([{ topic: 'webhook.test' }]);
    expect(await db.dataSource.query('select topic from persistence.outbox')).toEqual([]);
  });
});
