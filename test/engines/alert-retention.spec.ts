import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { SqlAlertBook } from '#reports/testing';
import { contexts } from '../../apps/runtime/src/index.js';

describe('alerts that are over', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneTestDatabase(contexts);
  });
  afterAll(() => database?.drop());

  it('are forgotten when they were over long enough, the oldest first and so many at a time; what stands stays', async () => {
    const ended = { oldest: '2026-01-01', older: '2026-01-02', late: '2026-06-01', standing: null };
    await database.unitOfWork.asSystem(async (tx) => {
      for (const [id, at] of Object.entries(ended))
        await tx.sql(
          `insert into reports.alert (tenant_id, id, source, type, severity, subject_kind, subject_id, key, title, detail, evidence, threshold,
             group_name, org_ids, first_seen_at, detected_at, resolved_at)
           values ($1, $2, 'lot', 'LOT_EXPIRED', 'high', 'lot', $2, '', '', '', '{}', '{}', '', '{}', '2025-12-01', '2025-12-01', $3)`,
          [newId(), id, at],
        );
    });
    const book = new SqlAlertBook();
    const forget = (): Promise<number> => database.unitOfWork.asSystem((tx) => book.forget(tx, new Date('2026-03-01'), 1));
    const left = async (): Promise<string[]> =>
      (await database.unitOfWork.asSystem((tx) => tx.sql<{ id: string }>('select id from reports.alert order by id'))).map(({ id }) => id);
    expect([await forget(), await left()]).toEqual([1, ['late', 'older', 'standing']]);
    expect([await forget(), await forget(), await left()]).toEqual([1, 0, ['late', 'standing']]);
  });
});
