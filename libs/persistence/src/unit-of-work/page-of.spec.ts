import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { countOf } from './page-of.js';
import type { TenantTx } from './tx.js';

/** A tenant whose lists have so many rows, and that knows how often they were counted. */
function tenant(tenantId: string, counted: number) {
  const sql = jest.fn(() => Promise.resolve([{ counted: String(counted) }]));
  return { sql, tx: { tenantId, sql } as unknown as TenantTx };
}

describe('the count of a list', () => {
  afterEach(() => void jest.useRealTimers());

  it('is made every time while it is exact', async () => {
    const { sql, tx } = tenant('a', 10_000);
    expect([await countOf(tx, 'few', [1n]), await countOf(tx, 'few', [1n])]).toEqual([10_000, 10_000]);
    expect(sql).toHaveBeenCalledTimes(2);
  });

  it('is a lower bound beyond, and not made again for half a minute', async () => {
    jest.useFakeTimers();
    const { sql, tx } = tenant('a', 10_001);
    expect([await countOf(tx, 'many', [1n]), await countOf(tx, 'many', [1n])]).toEqual([10_001, 10_001]);
    expect(sql).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(30_001);
    await countOf(tx, 'many', [1n]);
    expect(sql).toHaveBeenCalledTimes(2);
  });

  it('is known of this list of this tenant alone', async () => {
    const [one, other] = [tenant('one', 10_001), tenant('other', 3)];
    await countOf(one.tx, 'mine', [1n]);
    expect(await countOf(other.tx, 'mine', [1n])).toBe(3);
    await countOf(one.tx, 'mine', [2n]);
    expect(one.sql).toHaveBeenCalledTimes(2);
  });
});
