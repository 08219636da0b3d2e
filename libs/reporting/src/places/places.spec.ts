import { describe, expect, it } from '@jest/globals';
import { type FoundPlace, placeRows, placesSummary } from './places.rules.js';

const AT = { type: 'Point', coordinates: [105.7, 10.03] };
const found = (change: Partial<FoundPlace>): FoundPlace => ({
  kind: 'place',
  key: 'k',
  what: null,
  orgIds: ['o1'],
  processTypes: ['HARVEST'],
  events: '1',
  firstAt: '2026-09-01 00:00:00+00',
  lastAt: '2026-09-01 00:00:00+00',
  ...change,
});
const nameOf = (orgId: string): string | null => (orgId === 'o1' ? 'Farm' : null);

describe('places', () => {
  it('joins a site and what events state of it, with the position of either', () => {
    const site = found({ kind: 'site', what: { name: 'Mill' }, processTypes: [], events: 0, firstAt: null, lastAt: null });
    const rows = placeRows([found({ what: { name: 'mill of them', country: 'VN', geo: AT }, events: '4' }), site], nameOf);
    expect(rows).toMatchObject([
      { kind: 'site', name: 'Mill', country: 'VN', position: [105.7, 10.03], exact: true, events: 4, organisations: ['Farm'] },
    ]);
    expect(rows[0]!.firstAt).toBe('2026-09-01T00:00:00.000Z');
  });

  it('puts a place without a position into the middle of its country, and says so', () => {
    const [row] = placeRows([found({ what: { country: 'NL' } })], nameOf);
    expect(row).toMatchObject({ exact: false });
    expect(row!.position!.map(Math.round)).toEqual([5, 52]);
  });

  it('keeps what has no position, and counts it', () => {
    const rows = placeRows([found({ what: { name: 'somewhere', country: 'XX' } })], nameOf);
    expect(rows).toMatchObject([{ position: null, exact: false }]);
    expect(placesSummary(rows, 7, false)).toEqual({ sites: 0, plots: 0, others: 1, withoutPosition: 1, eventsRead: 7, incomplete: false });
  });

  it('has the geometry of a plot unless it is too long to draw', () => {
    const ring = Array.from({ length: 1_500 }, (_, i) => [100 + i / 1_500, 10]);
    const plot = (geometry: unknown): FoundPlace =>
      found({ kind: 'plot', key: JSON.stringify(geometry), what: { id: 'A1', areaHa: 2, geometry } });
    const [long, short] = placeRows([plot(AT), plot({ type: 'Polygon', coordinates: [ring] })], nameOf);
    expect([long, short].map((one) => one!.geometry)).toContain(null);
    expect([long, short].map((one) => one!.geometry)).toContainEqual(AT);
    expect(short).toMatchObject({ kind: 'plot', name: 'A1', areaHa: 2, exact: true });
  });
});
