import { describe, expect, it } from '@jest/globals';
import { RICE, contextAt, packing } from '../../testing/alert-facts.js';
import { type Finding, alertId } from './rule.js';
import { RULES } from './catalogue.js';
import type { ClaimBalanceFacts, BalanceEntry } from './claim.rules.js';
import type { EventFacts } from './event.rules.js';
import { yieldScore } from './yield.rules.js';

const context = contextAt('2026-11-01T00:00:00Z');
const judged = (event: EventFacts, when = context): Finding[] => RULES.event.flatMap((rule) => rule.judge(event, when));
const said = (event: EventFacts, when = context): string[] =>
  judged(event, when).map(({ type, severity, key }) => `${type} ${severity} ${key}`.trim());

describe('an event', () => {
  it('of the rice scenario has no alerts', () => {
    expect(said(packing())).toEqual([]);
  });

  it('that made no lot is named by its process, and its times are for people to read', () => {
    const recordTime = new Date('2026-12-24T10:30:15Z');
    const [late] = judged(packing({ outputTlc: null, recordTime }), context).filter(({ type }) => type === 'EVENT_LATE');
    expect(late!.title).toMatch(/^Pack rice was recorded \d+ days late$/);
    expect(late!.detail).toMatch(/^It happened at [\d-]{10} \d\d:\d\d UTC and was recorded at 2026-12-24 10:30 UTC;/);
  });

  it('whose content seals nothing, where others can read the store', () => {
    const shared = { ...context, storeIsShared: true };
    expect(said(packing({ contentVersion: 1 }), shared)).toEqual(['CONTENT_EXPOSED high']);
    expect(said(packing({ contentVersion: 1 }))).toEqual([]);
    for (const contentVersion of [2, null]) expect(said(packing({ contentVersion }), shared)).toEqual([]);
  });

  it('with plots of bad geometry has an alert for each, by its place: no key repeats the name of a plot', () => {
    const plot = { id: 'Ruộng bà Lạ', areaHa: 5, geometry: { type: 'Point', coordinates: [105.7, 10.1] } };
    const found = judged(packing({ metadata: { plots: [plot, { ...plot, id: 'other' }, plot] } })).filter(
      ({ type }) => type === 'GEO_QUALITY',
    );
    expect(found.map(({ key }) => key)).toEqual(['1', '2', '3']);
    expect(new Set(found.map(alertId)).size).toBe(3);
    // After an erasure of the name it is the same alert.
    const erased = judged(packing({ metadata: { plots: [{ ...plot, id: null }] } })).filter(({ type }) => type === 'GEO_QUALITY');
    expect(erased.map(alertId)).toEqual([alertId(found[0]!)]);
  });

  it('that does not balance: a gap of 350 of 7000 kg, or a gain of any size', () => {
    const gap = packing({
      inputKg: 7_000,
      mainOutputKg: 6_600,
      coProductKg: 50,
      declaredLossKg: 0,
      gapKg: 350,
      gapRatio: 0.05,
      balanceOutside: true,
    });
    expect(judged(gap)).toMatchObject([
      {
        type: 'MASS_BALANCE',
        severity: 'high',
        detail: '7000 kg in, 6650 kg out, 0 kg lost: 350 kg (5.00 %) unaccounted for.',
        threshold: { massBalanceTolerance: 0.02 },
      },
    ]);
    const gain = packing({
      inputKg: 7_000,
      mainOutputKg: 7_000.5,
      declaredLossKg: 0,
      gapKg: -0.5,
      gapRatio: -0.000071,
      balanceOutside: true,
    });
    expect(judged(gain)).toMatchObject([
      { type: 'MASS_BALANCE', evidence: { gain: true }, detail: '7000 kg in, 7000.5 kg out, 0 kg lost: 0.5 kg too much.' },
    ]);
  });

  it('whose yield is outside the expected range', () => {
    expect(said(packing({ yield: 0.9, yieldOutside: true }))).toEqual(['YIELD_OUTLIER medium range']);
  });

  it('without key data: each level is an alert of its own', () => {
    expect(said(packing({ metadata: { gtin: '' } }))).toEqual(['KDE_MISSING high required', 'KDE_MISSING low recommended']);
    expect(judged(packing({ metadata: { gtin: '', packaging: { material: 'x' } } }))[0]).toMatchObject({
      evidence: { missing: ['/packedOn', '/gtin'] },
      detail: 'Pack rice has no Date of packing (21 CFR 1.1330) and Product.',
    });
  });

  it('recorded later than the map allows: 24 hours, to the second', () => {
    expect(said(packing({ recordTime: new Date('2026-09-22T06:00:00Z') }))).toEqual([]);
    expect(said(packing({ recordTime: new Date('2026-09-22T06:00:01Z') }))).toEqual(['EVENT_LATE low']);
    const week = contextAt('2026-11-01T00:00:00Z', { rice: { ...RICE, lateAfterSeconds: 7 * 86_400 }, 'rice@1.0.0': RICE });
    expect(said(packing({ recordTime: new Date('2026-09-23T06:00:00Z') }), week)).toEqual([]);
  });

  it('before its input was made, or after its own recording', () => {
    expect(said(packing({ eventTime: new Date('2026-09-20T14:59:59Z'), recordTime: new Date('2026-09-20T15:00:00Z') }))).toEqual([
      'EVENT_ORDER medium input',
    ]);
    expect(said(packing({ recordTime: new Date('2026-09-21T05:54:59Z') }))).toEqual(['EVENT_ORDER medium future']);
    expect(said(packing({ recordTime: new Date('2026-09-21T05:55:00Z') }))).toEqual([]);
  });

  it('without a required document: one alert for each', () => {
    expect(said(packing({ documents: [{ type: 'LAB' }] }))).toEqual([
      'DOCUMENT_MISSING medium BATCH_LOG',
      'DOCUMENT_MISSING medium TEST_REPORT',
    ]);
  });

  it('that differs from what was prepared, or has unknown content', () => {
    expect(said(packing({ calldataMismatch: true }))).toEqual(['POLICY_BREACH high calldata']);
    const foreignSender = { eventId: packing().id, sender: '0xOther', preparedSender: '0xFarm' };
    expect(said(packing({ foreignSender }))).toEqual(['POLICY_BREACH high sender']);
    expect(said(packing({ foreignSender, calldataMismatch: true }))).toEqual(['POLICY_BREACH high sender', 'POLICY_BREACH high calldata']);
    expect(said(packing({ resolved: false }))).toEqual(['POLICY_BREACH high content']);
  });

  it('that mixes in goods of another map: 3000 of 4000 kg are of known origin', () => {
    const [own] = packing().inputs;
    const inputs = [
      { ...own!, usedKg: 3_000 },
      { ...own!, tokenId: 9n, tlc: 'X-1', mapName: 'wheat', usedKg: 1_000 },
    ];
    expect(judged(packing({ inputs }))).toMatchObject([
      { type: 'CLAIM_BREACH', severity: 'high', evidence: { claimShare: 0.75, unknown: [{ tokenId: 9, tlc: 'X-1' }] } },
    ]);
    const blending = contextAt('2026-11-01T00:00:00Z', {
      rice: { ...RICE, chainOfCustody: 'controlled_blending' },
      'rice@1.0.0': RICE,
    });
    expect(said(packing({ inputs }), blending)).toEqual([]);
  });

  it('that mixes sites under an identity-preserving map', () => {
    const preserving = contextAt('2026-11-01T00:00:00Z', {
      rice: { ...RICE, chainOfCustody: 'identity_preserved' },
      'rice@1.0.0': RICE,
    });
    expect(said(packing({ origins: ['Farm A', 'Farm B'] }), preserving)).toEqual(['CLAIM_BREACH high origins']);
    expect(said(packing({ origins: ['Farm A'] }), preserving)).toEqual([]);
    expect(said(packing({ origins: ['Farm A', 'Farm B'] }))).toEqual([]);
  });

  it('without process, map or time has no alerts', () => {
    expect(said(packing({ processType: null, processLabel: null, mapName: null, eventTime: null, metadata: {}, documents: [] }))).toEqual(
      [],
    );
  });
});

describe('the claim balance of one site and quarter', () => {
  const balanced = contextAt('2026-11-01T00:00:00Z', { rice: { ...RICE, chainOfCustody: 'mass_balance' }, 'rice@1.0.0': RICE });
  const made = (id: string, claimedInKg: number | null, mainOutputKg: number | null, conversion = 1): BalanceEntry => ({
    id,
    outputTlc: `LOT-${id}`,
    processType: 'RICE_MILLING',
    processLabel: 'Mill paddy',
    orgIds: ['mill'],
    claimedInKg,
    mainOutputKg,
    conversion,
  });
  const quarter = (events: readonly BalanceEntry[]): ClaimBalanceFacts => ({
    key: 'balance of the mill',
    mapName: 'rice',
    site: 'Example Mill',
    siteKey: 'https://id.gs1.org/414/9520000100032',
    from: new Date('2026-07-01T00:00:00Z'),
    to: new Date('2026-10-01T00:00:00Z'),
    events,
    alertedEvents: [],
  });
  const of = (events: readonly BalanceEntry[], when = balanced): Finding[] =>
    RULES.claims.flatMap((rule) => rule.judge(quarter(events), when));

  it('hold while no more leaves than came in and can become of it: 1000 kg make 720 kg at most', () => {
    expect(of([])).toEqual([]);
    expect(of([made('a', 1_000, 720, 0.72)])).toEqual([]);
    expect(of([made('a', 0.1, 0.1), made('b', 0.2, 0.2)])).toEqual([]);
    expect(of([made('a', 1_000, 720.001, 0.72)])).toHaveLength(1);
    expect(of([made('a', 1_000, 720.001, 0.72)], context)).toEqual([]);
  });

  it('are broken by the event since which too much has left', () => {
    // a: 500 of 500; b: 900 of 600, made up by c: 900 of 1000; d: 1500 of 1100, and e does not mend it: 1550 of 1200.
    const events = [made('a', 500, 500), made('b', 100, 400), made('c', 400, 0), made('d', 100, 600), made('e', 100, 50)];
    expect(of(events.slice(0, 3))).toEqual([]);
    expect(of(events)).toMatchObject([
      {
        type: 'CLAIM_BREACH',
        severity: 'high',
        subject: { kind: 'event', id: 'd', tlc: 'LOT-d' },
        key: 'balance of the mill',
        detail:
          'From 2026-07-01 to 2026-09-30: 1550 kg of main products left. 1200 kg came in under the claim and allow 1200 kg: 350 kg too much.',
        evidence: { claimedInKg: 1_200, convertedInKg: 1_200, claimedOutKg: 1_550, excessKg: 350, events: 5, unmeasuredEvents: 0 },
        orgIds: ['mill'],
      },
    ]);
  });

  it('leave out what was not weighed, and say so', () => {
    expect(of([made('a', null, 10), made('b', 10, null)])).toEqual([]);
    expect(of([made('a', null, 10), made('b', 10, 11)])).toMatchObject([
      {
        evidence: { claimedInKg: 10, excessKg: 1, unmeasuredEvents: 1 },
        detail: expect.stringContaining('Not counted: 1 event of unknown mass'),
      },
    ]);
  });
});

describe('yields of one process', () => {
  const process = (yields: readonly number[]) => ({
    processType: 'RICE_MILLING',
    label: 'Mill paddy',
    events: yields.map((value, i) => ({ id: `e${i}`, outputTlc: `L${i}`, yield: value, yieldOutside: false, orgIds: [] })),
  });
  // Median 0.65, MAD 0.01: 0.55 scores 0.6745 × -0.1 / 0.01 = -6.745, 0.6 scores -3.3725.
  const usual = [0.63, 0.64, 0.64, 0.65, 0.65, 0.66, 0.66, 0.67];
  it('has an outlier beyond a score of 3.5', () => {
    const [alert, ...others] = yieldScore.judge(process([...usual, 0.55]), context);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ subject: { id: 'e8' }, key: 'score', evidence: { median: 0.65, mad: 0.01, score: -6.745, n: 9 } });
    expect(yieldScore.judge(process([...usual, 0.6]), context)).toEqual([]);
  });
  it('has none below eight events, and none where most are equal', () => {
    expect(yieldScore.judge(process([...usual.slice(0, 6), 0.1]), context)).toEqual([]);
    expect(yieldScore.judge(process([0.65, 0.65, 0.65, 0.65, 0.65, 0.65, 0.65, 0.1]), context)).toEqual([]);
  });
});

describe('plots', () => {
  const square = [
    [105.791001, 10.041002],
    [105.795003, 10.041004],
    [105.795005, 10.044006],
    [105.791007, 10.044008],
    [105.791001, 10.041002],
  ];
  const faults = (plot: object, changes: Partial<EventFacts> = {}): unknown =>
    judged(packing({ ...changes, metadata: { ...packing().metadata, plot } })).map(({ evidence }) => evidence['faults']);
  const polygon = (ring: readonly unknown[]): object => ({ id: 'B1', areaHa: 14.6, geometry: { type: 'Polygon', coordinates: [ring] } });

  it('of the rice scenario are good', () => {
    expect(faults(polygon(square))).toEqual([]);
    expect(faults({ id: 'A1', areaHa: 1.6, geometry: { type: 'Point', coordinates: [105.783412, 10.034518] } })).toEqual([]);
  });
  it.each([
    ['a point for more than 4 ha', { areaHa: 4.1, geometry: { type: 'Point', coordinates: [105.783412, 10.034518] } }, ['no_polygon']],
    ['five decimals', { areaHa: 1, geometry: { type: 'Point', coordinates: [105.78341, 10.03451] } }, ['few_decimals']],
    ['an open ring', polygon(square.slice(0, 4)), ['ring_open']],
    ['a ring that crosses itself', polygon([square[0], square[2], square[1], square[3], square[0]]), ['ring_crossing']],
    ['swapped axes', { areaHa: 1, geometry: { type: 'Point', coordinates: [10.034518, 105.783412] } }, ['not_degrees']],
    ['another area than declared', { ...polygon(square), areaHa: 6.2 }, ['area_differs']],
    ['no geometry at all', { areaHa: 9 }, ['no_polygon']],
  ])('with %s have an alert', (_, plot, expected) => {
    expect(faults(plot)).toEqual([expected]);
  });
  it.each([
    ['VN', [105.783412, 10.034518], true],
    // Where a box of Viet Nam would reach over the border.
    ['VN', [104.921234, 11.562345], false],
    ['KH', [104.921234, 11.562345], true],
    // A territory and its country, the Antimeridian, an island, and plots on and off the border of Germany and Austria.
    ['GF', [-52.312345, 4.912345], true],
    ['FR', [-52.312345, 4.912345], true],
    ['FJ', [179.412345, -16.612345], true],
    ['US', [-155.512345, 19.612345], true],
    ['DE', [12.944345, 47.943345], true],
    ['AT', [12.944345, 47.943345], true],
    ['AT', [12.102345, 47.943345], false],
  ])('in %s at %j: %j', (country, coordinates, inside) => {
    const plot = { areaHa: 1, geometry: { type: 'Point', coordinates } };
    expect(faults(plot, { country })).toEqual(inside ? [] : [['outside_country']]);
  });
  it('in the open sea are in no country, and in water', () => {
    expect(faults({ areaHa: 1, geometry: { type: 'Point', coordinates: [0.123456, 0.123456] } }, { country: 'GH' })).toEqual([
      ['outside_country', 'in_water'],
    ]);
  });
  it('in a country without known borders are not judged by it', () => {
    expect(faults({ areaHa: 1, geometry: { type: 'Point', coordinates: [76.783412, 10.034518] } }, { country: 'XX' })).toEqual([]);
  });
  it('that are nonsense do no harm', () => {
    expect(faults({ geometry: { type: 'Polygon', coordinates: [7, null, [['a', 'b'], [1]]] } })).toEqual([['ring_open']]);
    expect(judged(packing({ metadata: { ...packing().metadata, plots: 'none', plot: 7 } }))).toEqual([]);
  });
});

describe('the id of an alert', () => {
  it('is that of its rule, subject and key, whatever else changes', () => {
    const late = judged(packing({ recordTime: new Date('2026-09-23T00:00:00Z') }))[0]!;
    const later = judged(packing({ recordTime: new Date('2026-09-24T00:00:00Z'), processLabel: 'Renamed' }))[0]!;
    expect(alertId(late)).toBe(alertId(later));
    expect(alertId(late)).toMatch(/^[0-9a-f]{16}$/);
    expect(alertId({ ...late, key: 'other' })).not.toBe(alertId(late));
  });
});
