import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Actor } from '#kernel';
import type { TenantTx } from '../unit-of-work/tx.js';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.js';
import { AnswerCache } from './answer-cache.js';

const reader: Actor = {
  kind: 'user',
  id: 'someone',
  tenantId: 'rice',
  tenantSlug: 'rice',
  roles: ['OPERATOR'],
  roleScopes: {},
  orgId: 'mill',
  wallet: null,
  wallets: [],
};

describe('an answer', () => {
  let revision: number;
  let made: number;
  let answers: AnswerCache;
  beforeEach(() => {
    [revision, made] = [7, 0];
    const tx = { tenantId: 'rice', sql: async () => [{ changes: String(revision) }] } as unknown as TenantTx;
    const work = { read: (_: Actor, plan: (given: TenantTx) => Promise<unknown>) => plan(tx) };
    answers = new AnswerCache(work as unknown as UnitOfWork);
  });
  const make = async (): Promise<{ body: Buffer }> => ({ body: Buffer.from(`answer ${++made}`) });
  const text = async (actor = reader, question: readonly unknown[] = ['list']): Promise<string> =>
    (await answers.get(actor, question, make)).answer.body.toString();

  it('is made once until the revision of its tenant moves', async () => {
    expect([await text(), await text()]).toEqual(['answer 1', 'answer 1']);
    revision = 8;
    expect([await text(), await text()]).toEqual(['answer 2', 'answer 2']);
  });

  it('is of one question, one tenant, and readers with the same rights', async () => {
    const first = await text();
    const others: readonly Partial<Actor>[] = [
      { tenantId: 'wool', tenantSlug: 'wool' },
      { orgId: 'farm' },
      { roles: ['AUDITOR'] },
      { roleScopes: { OPERATOR: ['RICE_*'] } },
    ];
    for (const other of others) expect(await text({ ...reader, ...other })).not.toBe(first);
    expect(await text(reader, ['list', 'of another page'])).not.toBe(first);
    expect(await text({ ...reader, id: 'somebody else', wallet: '0x1' })).toBe(first);
  });

  it('that a change overtakes is not shown after it', async () => {
    const overtaken = answers.get(reader, ['list'], async () => {
      revision = 8;
      return make();
    });
    expect((await overtaken).answer.body.toString()).toBe('answer 1');
    expect(await text()).toBe('answer 2');
  });

  it('is made once for all who ask meanwhile, and again for the next after a failure', async () => {
    let fail!: (error: Error) => void;
    const failing = (): Promise<{ body: Buffer }> => new Promise((_, reject) => (fail = reject));
    const asked = [answers.get(reader, ['list'], failing), answers.get(reader, ['list'], make)];
    const settled = Promise.allSettled(asked);
    await new Promise(setImmediate);
    fail(new Error('no'));
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await Promise.all([text(), text()])).toEqual(['answer 1', 'answer 1']);
  });

  it('is in memory no longer than it is kept, however often its tenant changes', async () => {
    const clear = jest.spyOn(globalThis, 'clearTimeout');
    try {
      for (let i = 0; i < 50; i++) {
        revision++;
        await text();
      }
      // All but the last: nothing else refers to them.
      expect(clear).toHaveBeenCalledTimes(49);
    } finally {
      clear.mockRestore();
    }
  });

  it('that is not cached is made for each', async () => {
    const stream = async () => ({ body: `stream ${++made}`, uncached: true as const });
    const both = await Promise.all([1, 2].map(() => answers.get(reader, ['all'], stream)));
    expect(both.map(({ answer }) => answer.body).toSorted()).toEqual(['stream 1', 'stream 2']);
    expect((await answers.get(reader, ['all'], stream)).answer.body).toBe('stream 3');
  });

  it('comes with what was read in the same snapshot as the revision', async () => {
    const { read } = await answers.get(reader, ['list'], make, async (tx) => tx.tenantId);
    expect(read).toBe('rice');
  });
});
