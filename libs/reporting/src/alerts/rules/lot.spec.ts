import { describe, expect, it } from '@jest/globals';
import { bags, contextAt } from '../../testing/alert-facts.js';
import type { Finding } from './rule.js';
import { RULES } from './catalogue.js';
import { type LotFacts, footprintGap } from './lot.rules.js';

/** What all rules about lots say, on a day. */
const judged = (lot: LotFacts, now: string): Finding[] => RULES.lot.flatMap((rule) => rule.judge(lot, contextAt(now)));
const said = (lot: LotFacts, now: string): string[] => judged(lot, now).map(({ type, severity }) => `${type} ${severity}`);

describe('the bags of the rice scenario, best before 2028-03-21', () => {
  it.each([
    ['2028-02-20T16:59:58Z', []],
    // 30 days before, as the map says, to the second.
    ['2028-02-20T16:59:59Z', ['LOT_EXPIRING low']],
    ['2028-03-21T16:59:58Z', ['LOT_EXPIRING low']],
    ['2028-03-21T16:59:59Z', ['LOT_EXPIRED critical']],
  ])('on %s: %j', (now, alerts) => {
    expect(said(bags(), now)).toEqual(alerts);
  });

  it('follow the tenant where their map is unknown: 14 days', () => {
    expect(said(bags({ mapName: null }), '2028-03-07T16:59:58Z')).toEqual([]);
    expect(said(bags({ mapName: null }), '2028-03-07T16:59:59Z')).toEqual(['LOT_EXPIRING low']);
  });

  it('have an alert with custodian and date', () => {
    const [alert] = judged(bags(), '2028-03-23T17:00:00Z');
    expect(alert).toMatchObject({
      subject: { kind: 'lot', id: '8', tokenId: 8, tlc: 'RP262641' },
      detail: 'RP262641 expired on 2028-03-21, 2 days ago. Custodian: Example Distributor.',
      evidence: { remaining: 1_400, uom: 'H87' },
      group: 'Milled rice, 5 kg bag',
      orgIds: ['dist'],
    });
  });

  it('are high for bulk goods; used up or retired lots and pallets have no alert', () => {
    const late = '2028-04-01T00:00:00Z';
    expect(said(bags({ assetType: 'RICE_MILLED' }), late)).toEqual(['LOT_EXPIRED high']);
    expect(said(bags({ usedUp: true, remaining: 0 }), late)).toEqual([]);
    expect(said(bags({ retiredAt: new Date('2028-01-01T00:00:00Z') }), late)).toEqual([]);
    expect(said(bags({ isContainer: true }), late)).toEqual([]);
  });
});

describe('recalls', () => {
  const recalledAt = new Date('2026-11-01T00:00:00Z');
  const now = '2026-11-02T00:00:00Z';

  it('are critical while the lot is there', () => {
    expect(said(bags({ recalledAt, recallAffected: true }), now)).toEqual(['RECALLED_IN_STOCK critical']);
    expect(said(bags({ recalledAt, usedUp: true, remaining: 0 }), now)).toEqual([]);
    expect(said(bags({ recalledAt, retiredAt: recalledAt }), now)).toEqual([]);
  });

  it('reach what was made from it: critical for class I only', () => {
    expect(said(bags({ recallAffected: true, recallClass: 'I' }), now)).toEqual(['RECALL_AFFECTED_LIVE critical']);
    expect(said(bags({ recallAffected: true, recallClass: 'II' }), now)).toEqual(['RECALL_AFFECTED_LIVE high']);
    expect(said(bags({ recallAffected: true }), now)).toEqual(['RECALL_AFFECTED_LIVE high']);
    expect(said(bags({ recallAffected: true, usedUp: true }), now)).toEqual([]);
  });
});

describe('uses beyond the lot', () => {
  const now = '2026-11-02T00:00:00Z';
  it('have an alert beyond rounding, used up or not', () => {
    expect(said(bags({ used: 1_400.001, usedUp: true }), now)).toEqual([]);
    expect(said(bags({ used: 1_400.0015, usedUp: true }), now)).toEqual(['OVER_CONSUMPTION critical']);
    expect(said(bags({ used: 2_000, quantity: null }), now)).toEqual([]);
  });
});

describe('the footprint of a finished lot', () => {
  // Golden coverage of the rice scenario (data/expected/rice.golden.json): carbon whole, water on 22 % of the mass.
  const facts = { tokenId: 8n, tlc: 'RP262641', assetTypeName: 'Milled rice, 5 kg bag', orgIds: [] };
  const context = contextAt('2026-11-02T00:00:00Z');
  it('has an alert if less than 80 % of the mass is declared', () => {
    const [alert] = footprintGap.judge({ ...facts, massCoverage: { carbon: 1, water: 0.220414, waste: null } }, context);
    expect(alert).toMatchObject({ severity: 'low', detail: 'Declared for 22.04 % of the mass (water); the limit is 80.00 %.' });
  });
  it('has no alert at 80 %, or if nothing is expected', () => {
    expect(footprintGap.judge({ ...facts, massCoverage: { carbon: 0.8, water: null } }, context)).toEqual([]);
  });
});
