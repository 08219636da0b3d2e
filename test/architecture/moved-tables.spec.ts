import { describe, expect, it } from '@jest/globals';
import { tablesOf } from '../../apps/cli/src/backup/table-origins.js';
import { LEFT_BEHIND, MOVED, MOVED_OTHERWISE } from '../../apps/cli/src/tenant/moved-tables.js';

describe('the tables of a tenant that moves', () => {
  it('are all that the chain does not give again: each moves, or stays for a reason', () => {
    const named = [...MOVED.map(({ table }) => table), ...Object.keys(MOVED_OTHERWISE), ...Object.keys(LEFT_BEHIND)];
    expect(named.toSorted()).toEqual([...tablesOf('dump')].toSorted());
  });
});
