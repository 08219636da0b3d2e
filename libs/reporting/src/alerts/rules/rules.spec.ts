import { describe, expect, it } from '@jest/globals';
import { contextAt } from '../../testing/alert-facts.js';
import type { Finding } from './rule.js';
import { RULES, textsOf } from './catalogue.js';
import { type PointerFacts, documentExpired } from './evidence.rules.js';
import { healthScore, insightsOf } from './insights.rules.js';
import { custodyPending, eventUnsubmitted, txFailed, txStuck, webhookFailing } from './operations.rules.js';

const NOW = '2026-11-10T12:00:00Z';
const context = contextAt(NOW);
const ago = (seconds: number): Date => new Date(Date.parse(NOW) - seconds * 1_000);
const HOUR = 3_600;

describe('a transfer', () => {
  const offer = {
    transferId: '9-1',
    tokenId: 9n,
    tlc: 'P',
    assetTypeName: null,
    mapName: 'rice',
    from: '0xa',
    to: '0xb',
    toLabel: 'Example Distributor',
    orgIds: [],
  };
  it.each([
    [72 * HOUR, []],
    [72 * HOUR + 1, ['medium']],
    [144 * HOUR, ['medium']],
    [144 * HOUR + 1, ['high']],
  ])('that waits for %d s: %j', (waiting, severities) => {
    expect(custodyPending.judge({ ...offer, offeredAt: ago(waiting) }, context).map(({ severity }) => severity)).toEqual(severities);
  });
});

describe('a transaction', () => {
  const transaction = {
    trackingId: 't',
    txHash: `0x${'ab'.repeat(32)}`,
    type: 'custom',
    submittedAt: ago(1_801),
    failedAt: null,
    revertReason: null,
    eventId: null,
    orgIds: [],
  };
  it('is stuck while it is open for more than half an hour', () => {
    expect(txStuck.judge({ ...transaction, status: 'pending' }, context)).toMatchObject([
      { severity: 'medium', subject: { kind: 'transaction', id: 't' } },
    ]);
    expect(txStuck.judge({ ...transaction, status: 'pending', submittedAt: ago(1_800) }, context)).toEqual([]);
    expect(txStuck.judge({ ...transaction, status: 'confirmed' }, context)).toEqual([]);
  });
  it('that failed has an alert for a week', () => {
    const failed = { ...transaction, status: 'failed', failedAt: ago(7 * 24 * HOUR), revertReason: 'NotCustodian' };
    expect(txFailed.judge(failed, context)).toMatchObject([{ severity: 'high', detail: 'It reverted: NotCustodian.' }]);
    expect(txFailed.judge({ ...failed, failedAt: ago(7 * 24 * HOUR + 1) }, context)).toEqual([]);
  });
});

it('an event that was not sent has an alert after a day', () => {
  const event = {
    id: 'e',
    processType: null,
    processLabel: 'Pack rice',
    outputTlc: 'RP',
    preparedAt: ago(24 * HOUR),
    expiresAt: null,
    orgIds: [],
  };
  expect(eventUnsubmitted.judge(event, context)).toEqual([]);
  expect(eventUnsubmitted.judge({ ...event, preparedAt: ago(24 * HOUR + 1) }, context)).toMatchObject([{ severity: 'low' }]);
});

it('a document has an alert from the day after its last day, while lots under it are in stock', () => {
  const report = {
    eventId: 'e',
    processType: null,
    type: 'TEST_REPORT',
    number: 'LAB-9931',
    issuer: 'Example Lab',
    validTo: '2026-11-09',
    liveLots: [{ tokenId: 8, tlc: 'RP262641' }],
    orgIds: [],
  };
  expect(documentExpired.judge(report, context)).toMatchObject([{ severity: 'medium', key: 'TEST_REPORT|LAB-9931' }]);
  expect(documentExpired.judge({ ...report, validTo: '2026-11-10' }, context)).toEqual([]);
  expect(documentExpired.judge({ ...report, liveLots: [] }, context)).toEqual([]);
});

it('a subscription has an alert from the fifth failed delivery in a row, or when it is paused', () => {
  const subscription = { id: 's', host: 'hooks.example', pausedSince: null, failedInARow: 4, failingSince: null, lastError: null };
  expect(webhookFailing.judge(subscription, context)).toEqual([]);
  expect(webhookFailing.judge({ ...subscription, failedInARow: 5, lastError: 'The receiver answered 500.' }, context)).toMatchObject([
    {
      severity: 'medium',
      title: 'Deliveries to hooks.example fail',
      detail: 'The last 5 deliveries failed, the latest with: The receiver answered 500.',
    },
  ]);
  const held = 'Deliveries wait until the subscription is resumed.';
  expect(webhookFailing.judge({ ...subscription, failedInARow: 1, pausedSince: ago(60) }, context)).toMatchObject([
    {
      title: 'Deliveries to hooks.example are paused',
      detail: `The last delivery failed. ${held}`,
      evidence: { pausedSince: ago(60).toISOString() },
    },
  ]);
  expect(webhookFailing.judge({ ...subscription, failedInARow: 0, pausedSince: ago(60) }, context)).toMatchObject([{ detail: held }]);
});

it('a checked pointer has the alert of its kind', () => {
  const pointer = (kind: string, status: string, value = 'v'): PointerFacts => ({
    pointerId: 'p',
    kind,
    status,
    value,
    detail: 'd',
    checkedAt: ago(0),
    processType: null,
    subjectKind: 'lot',
    subjectId: '8',
    tokenId: 8,
    tlc: 'RP262641',
    orgIds: [],
  });
  const said = (kind: string, status: string): string[] =>
    RULES.pointer.flatMap((rule) => rule.judge(pointer(kind, status), context)).map(({ type, severity }) => `${type} ${severity}`);
  expect(said('cid', 'mismatch')).toEqual(['CID_MISMATCH critical']);
  expect(said('document', 'unresolved')).toEqual(['CID_UNRESOLVED medium']);
  for (const kind of ['nft', 'dataHash', 'tx']) expect(said(kind, 'mismatch')).toEqual(['CHAIN_DRIFT critical']);
  // A chain that does not answer is not a difference.
  expect(said('nft', 'unresolved')).toEqual([]);
  expect(said('cid', 'ok')).toEqual([]);
  const [{ title }] = RULES.pointer.flatMap((rule) =>
    rule.judge(pointer('document', 'mismatch', `https://a.b${'🌾'.repeat(20)}`), context),
  ) as [Finding];
  expect(title).toBe('The content of https://a.b🌾…🌾🌾🌾🌾🌾🌾 has been changed');
});

describe('the health score', () => {
  it('is a hundred without alerts', () => {
    expect(healthScore({ critical: 0, high: 0, medium: 0, low: 0 }, 0)).toBe(100);
  });
  it('falls with their weight and rises with the stock', () => {
    const one = { critical: 1, high: 2, medium: 3, low: 1 };
    // 8 + 8 + 6 + 1 = 23: e^(-23 / 10) = 0.10026, and over 100 lots e^(-23 / 100) = 0.79453.
    expect(healthScore(one, 1)).toBe(10.03);
    expect(healthScore(one, 0)).toBe(10.03);
    expect(healthScore(one, 100)).toBe(79.45);
  });
});

describe('insights', () => {
  const group = {
    severity: 'high',
    group: 'milled rice',
    count: 2,
    acknowledged: 0,
    earliest: new Date('2026-11-01T00:00:00Z'),
    alertIds: ['a', 'b'],
  } as const;
  it('are sentences, the worst first', () => {
    const [worst, second] = insightsOf([
      { ...group, type: 'LOT_EXPIRED' },
      { ...group, type: 'CID_MISMATCH', severity: 'critical', group: '', count: 1 },
    ]);
    expect(worst!.headline).toBe('1 stored content has been changed');
    expect(second).toMatchObject({
      headline: '2 lots of milled rice are past best-before and still in stock',
      relatedAlertIds: ['a', 'b'],
    });
    expect(second!.narrative).toMatch(/^The first is open since 2026-11-01\. /);
  });
  it('say how many nobody has acknowledged, and keep their id', () => {
    const [one] = insightsOf([{ ...group, type: 'LOT_EXPIRED', acknowledged: 1 }]);
    const [all] = insightsOf([{ ...group, type: 'LOT_EXPIRED', acknowledged: 2 }]);
    expect([one!.narrative, all!.narrative]).toEqual([
      expect.stringContaining('1 of 2 are not acknowledged'),
      expect.stringContaining('all are acknowledged'),
    ]);
    expect(one!.id).toBe(all!.id);
  });
  it('have texts for every rule, for one and for many', () => {
    for (const { type } of Object.values(RULES).flat())
      for (const count of [1, 2]) expect(textsOf(type).headline(count, '')).toMatch(/\S(.*\S)?/);
  });
});
