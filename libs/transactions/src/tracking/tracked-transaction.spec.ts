import { describe, expect, it } from '@jest/globals';
import { type MinedFacts, NOTHING_OBSERVED, type Observation } from '../observation/observation.js';
import {
  IllegalTracking,
  type PollContext,
  TRACKED_STATUSES,
  TRACKED_TRANSITIONS,
  TrackedTransaction,
  type TrackedStatus,
} from './tracked-transaction.js';

const hash = `0x${'Ab'.repeat(32)}`;
const at = new Date('2026-09-20T15:00:00Z');
const sent = { from: '0xFa', to: '0xC0', nonce: 4 };
const inBlock = (blockNumber: number, succeeded = true): MinedFacts => ({
  blockNumber,
  blockHash: `0x${blockNumber}`,
  blockTime: new Date(blockNumber * 1_000),
  succeeded,
  gasUsed: '41000',
  effectiveGasPrice: '1000000007',
});
const nothing: Observation = NOTHING_OBSERVED;
const lost: Observation = { ...nothing, orphaned: true };
const taken: Observation = { ...nothing, replaced: { by: '0xother' } };
const inPool: Observation = { ...nothing, sent };
const mined = (block: number): Observation => ({ ...inPool, mined: inBlock(block) });
const reverted = (block: number): Observation => ({ ...inPool, mined: inBlock(block, false), revertReason: 'NotCustodian(3, 0xFa)' });

const HALF_HOUR = 1_800_000;
const head = (nodeHead: number, projectedFinal = nodeHead): PollContext => ({
  at,
  nodeHead,
  projectedFinal,
  requiredConfirmations: 3,
  dropAfterMs: HALF_HOUR,
});
const later = (minutes: number): PollContext => ({ ...head(10), at: new Date(at.getTime() + minutes * 60_000) });
const tracked = (): TrackedTransaction =>
  TrackedTransaction.submitted({ tenantId: 't', kind: 'user', id: 'u' }, { id: 'x', chainId: 31337, txHash: hash, type: 'custom', at });
const after = (...observed: [Observation, PollContext][]): TrackedTransaction => {
  const transaction = tracked();
  for (const [observation, context] of observed) transaction.observe(observation, context);
  return transaction;
};

describe('a relayed call that failed', () => {
  const by = { tenantId: 't', kind: 'user', id: 'u' } as const;
  const call = { relayId: 'r', callIndex: 0, paidBy: '0x5', signedBy: 'p', from: '0xFa', to: '0xC0', eventId: null, eventDataHash: null };
  const landsUntil = new Date(at.getTime() + 60_000);

  it('is not final until nobody can land it, and has a reason although the node has none', () => {
    const relayed = TrackedTransaction.relayed(by, { id: 'x', chainId: 31337, type: 'relay', at }, { ...call, landsUntil });
    relayed.observe({ ...inPool, mined: inBlock(5, false) }, head(10));
    expect(relayed).toMatchObject({ status: 'confirming', revertReason: 'the node could not give the reason' });
    relayed.observe(reverted(5), { ...head(10), at: landsUntil });
    expect(relayed).toMatchObject({ status: 'failed', revertReason: 'NotCustodian(3, 0xFa)' });
  });
});

describe('a tracked transaction', () => {
  it('starts as submitted, under the hash in lower case', () => {
    expect(tracked()).toMatchObject({ status: 'submitted', txHash: hash.toLowerCase(), blockNumber: null, lastCheckedAt: null });
  });

  it.each<[string, [Observation, PollContext][], TrackedStatus]>([
    ['is submitted while nobody knows it', [[nothing, head(10)]], 'submitted'],
    ['is pending in the pool', [[inPool, head(10)]], 'pending'],
    [
      'stays pending when a node has forgotten it: null is no verdict',
      [
        [inPool, head(10)],
        [nothing, head(11)],
      ],
      'pending',
    ],
    ['is confirming in its own block', [[mined(10), head(10)]], 'confirming'],
    ['is confirming one block before the depth', [[mined(10), head(11)]], 'confirming'],
    ['is confirmed at the depth', [[mined(10), head(12)]], 'confirmed'],
    ['is confirmed at once when it was tracked long after', [[mined(10), head(900)]], 'confirmed'],
    ['waits until its effects are indexed', [[mined(10), head(12, 9)]], 'confirming'],
    ['is confirming when it reverted, as long as a reorg can turn it', [[reverted(10), head(11)]], 'confirming'],
    ['has failed when it reverted, at the depth, projected or not', [[reverted(10), head(12, 9)]], 'failed'],
    [
      'is pending again after a reorg into the pool',
      [
        [mined(10), head(11)],
        [{ ...inPool, orphaned: true }, head(12)],
      ],
      'pending',
    ],
    [
      'is pending again after a reorg that lost it',
      [
        [mined(10), head(11)],
        [lost, head(12)],
      ],
      'pending',
    ],
    [
      'stays confirming when a node has no answer about it: its block is still canonical',
      [
        [mined(10), head(11)],
        [nothing, head(12)],
      ],
      'confirming',
    ],
    [
      'is replaced when its nonce went to another transaction',
      [
        [inPool, head(10)],
        [taken, head(11)],
      ],
      'replaced',
    ],
    [
      'is not replaced by the word of a node that is behind',
      [
        [mined(10), head(11)],
        [taken, head(9)],
      ],
      'confirming',
    ],
    [
      'is confirmed after all when a reorg took the other one away',
      [
        [taken, head(10)],
        [mined(11), head(13)],
      ],
      'confirmed',
    ],
    [
      'waits on while it is unseen for less than half an hour',
      [
        [nothing, later(0)],
        [nothing, later(29)],
      ],
      'submitted',
    ],
    [
      'is dropped when it is unseen for half an hour',
      [
        [inPool, later(0)],
        [nothing, later(1)],
        [nothing, later(31)],
      ],
      'dropped',
    ],
    [
      'is not dropped by one poll after a long time',
      [
        [inPool, later(0)],
        [nothing, later(300)],
      ],
      'pending',
    ],
    [
      'restarts the time it is unknown after it was found',
      [
        [nothing, later(0)],
        [inPool, later(20)],
        [nothing, later(40)],
        [nothing, later(60)],
      ],
      'pending',
    ],
    [
      'is never dropped while it is mined',
      [
        [mined(10), later(0)],
        [nothing, later(0)],
        [nothing, later(90)],
      ],
      'confirming',
    ],
    [
      'stays confirming when a node answers that is behind',
      [
        [mined(10), head(11)],
        [inPool, head(9)],
      ],
      'confirming',
    ],
    [
      'is confirmed after a receipt that flipped in a reorg',
      [
        [reverted(10), head(11)],
        [mined(12), head(14)],
      ],
      'confirmed',
    ],
  ])('%s', (_, seen, status) => {
    expect(after(...seen).status).toBe(status);
  });

  it('forgets where it was mined when it left the chain', () => {
    expect(after([reverted(10), head(11)], [{ ...inPool, orphaned: true }, head(12)])).toMatchObject({
      blockNumber: null,
      blockHash: null,
      gasUsed: null,
      nonce: 4,
    });
  });

  it('takes over all position facts when it is mined again elsewhere', () => {
    expect(after([mined(10), head(10)], [mined(12), head(12)])).toMatchObject({ status: 'confirming', blockNumber: 12, blockHash: '0x12' });
  });

  it('says why it failed and when that was final', () => {
    expect(after([reverted(10), head(12)])).toMatchObject({ revertReason: 'NotCustodian(3, 0xFa)', confirmedAt: at, final: true });
  });

  it('counts its own block as the first confirmation', () => {
    const transaction = after([mined(10), head(10)]);
    expect([9, 10, 12].map((block) => transaction.confirmations(block))).toEqual([0, 1, 3]);
  });

  it('says what took its nonce, and forgets it when it is back', () => {
    expect(after([taken, head(10)])).toMatchObject({ status: 'replaced', replacedBy: '0xother' });
    expect(after([taken, head(10)], [{ ...taken, replaced: { by: null } }, head(11)]).replacedBy).toBe('0xother');
    expect(after([taken, head(10)], [mined(11), head(11)]).replacedBy).toBeNull();
  });

  it('says why it failed while it waits to be final', () => {
    expect(after([reverted(10), head(10)])).toMatchObject({
      status: 'confirming',
      revertReason: 'NotCustodian(3, 0xFa)',
      confirmedAt: null,
    });
  });

  it('keeps the event that its calldata records', () => {
    expect(after([{ ...inPool, eventId: 'e', eventDataHash: '0xd' }, head(9)], [nothing, head(10)]).eventId).toBe('e');
  });

  it('is final as confirmed and failed only', () => {
    expect(TRACKED_STATUSES.filter((status) => TRACKED_TRANSITIONS[status].length === 0)).toEqual(['confirmed', 'failed']);
  });

  it('cannot leave a final status', () => {
    const transaction = after([mined(10), head(12)]);
    expect(() => transaction.observe(reverted(10), head(13))).toThrow(IllegalTracking);
  });

  it.each<TrackedStatus>(['replaced', 'dropped'])('revives when it was %s and is seen again', (status) => {
    const transaction = Object.assign(tracked(), { status });
    transaction.observe(mined(10), head(10));
    expect(transaction.status).toBe('confirming');
  });
});
