import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { deleteOldRows } from '#persistence';
import { reportingPersistence } from '#reporting';
import { contexts } from '../../apps/runtime/src/index.js';

describe('resolved alerts', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneTestDatabase(contexts);
  });
  afterAll(() => database?.drop());

  it('are deleted when they were resolved long enough ago, the oldest first and a limited number at a time; open alerts stay', async () => {
    const ended = { oldest: '2026-01-01', older: '2026-01-02', late: '2026-06-01', open: null };
    await database.unitOfWork.asSystem(async (tx) => {
      for (const [id, at] of Object.entries(ended))
        await tx.sql(
          `insert into reporting.alert (tenant_id, id, source, type, severity, subject_kind, subject_id, key, title, detail, evidence, threshold,
             group_name, org_ids, first_seen_at, detected_at, resolved_at)
           values ($1, $2, 'lot', 'LOT_EXPIRED', 'high', 'lot', $2, '', '', '', '{}', '{}', '', '{}', '2025-12-01', '2025-12-01', $3)`,
          [newId(), id, at],
        );
    });
    const [rule] = reportingPersistence.retention!;
    const batches: number[] = [];
    const remove = (before: string): Promise<number> =>
      deleteOldRows(database.unitOfWork, rule!, {
        before: new Date(before),
        signal: new AbortController().signal,
        batch: 1,
        onDeleted: (rows) => batches.push(rows),
      });
    const left = async (): Promise<string[]> =>
      (await database.unitOfWork.asSystem((tx) => tx.sql<{ id: string }>('select id from reporting.alert order by id'))).map(
        ({ id }) => id,
      );
    expect([await remove('2026-01-02'), await left()]).toEqual([1, ['late', 'older', 'open']]);
    expect([await remove('2026-03-01'), await remove('2026-03-01'), await left()]).toEqual([1, 0, ['late', 'open']]);
    expect(batches).toEqual([1, 1]);
  });
});
