import { describe, expect, it } from '@jest/globals';
import type { Body, ReportsWorld } from './reports-world.js';

/** What maps and charts are drawn from. */
export function placesAndTrends(reports: () => ReportsWorld): void {
  describe('flows', () => {
    it('lead from the harvest to the bags, in kilograms', async () => {
      expect((await reports().read('rice', 'yield'))['flows']).toEqual(
        [
          { from: 'RICE_HARVESTING', to: 'RICE_DRYING', kg: 12_000 },
          { from: 'RICE_DRYING', to: 'RICE_MILLING', kg: 10_775 },
          { from: 'RICE_MILLING', to: 'RICE_PACKING', kg: 7_004 },
        ].toSorted((a, b) => (a.from < b.from ? -1 : 1)),
      );
    });

    it('do not name who made what another organisation recorded', async () => {
      const report = await reports().read('rice', `yield?orgId=${await reports().orgIdOf('rice', 'Example Mill')}`);
      expect(report['flows']).toMatchObject([{ from: null, to: 'RICE_DRYING', kg: 12_000 }, {}, {}]);
    });
  });

  describe('trends', () => {
    it('add up what was recorded in a month, creations included', async () => {
      const report = await reports().read('rice', 'trends');
      const september = report['periods'].find(({ start }: Body) => start === '2026-09-01');
      // Two harvests of 12000 kg, 10775 kg dried, 7004 + 3556 kg milled, 1400 bags of 5 kg.
      expect(september).toMatchObject({ recordedKg: 40_335, unweighedEvents: 0, inputKg: 29_779, mainOutputKg: 24_779, yield: 0.832096 });
      expect(september.lots).toBe(8);
      expect(report['summary'].events).toBe(report['periods'].reduce((sum: number, { events }: Body) => sum + events, 0));
    });

    it('count transfers by their end and recalls by their signature', async () => {
      const { periods, summary } = await reports().read('rice', 'trends?interval=day');
      expect(periods.map(({ start }: Body) => start)).toEqual(
        periods
          .map(({ start }: Body) => start)
          .toSorted()
          .toReversed(),
      );
      expect(summary).toMatchObject({ transfers: 3, rejectedTransfers: 0, recalls: 0, recalledLots: 0 });
      const today = periods[0];
      expect(today).toMatchObject({ start: new Date().toISOString().slice(0, 10), transfers: 3 });
    });

    it('of a week begin on Monday, and of one organisation have what it did', async () => {
      const farm = await reports().orgIdOf('rice', 'Example Farm A');
      const { periods } = await reports().read('rice', `trends?interval=week&orgId=${farm}`);
      expect(periods.at(-1)).toMatchObject({ start: '2026-09-14', events: 1, recordedKg: 8_000, yield: null });
      expect(periods[0]).toMatchObject({ transfers: 1, events: 0 });
    });

    it('refuse another interval', async () => {
      await expect(reports().read('rice', 'trends?interval=year')).rejects.toMatchObject({ status: 400 });
    });

    it('are a table', async () => {
      const { text } = await reports().csv('rice', 'trends?format=csv');
      expect(text).toContain('start,events,lots,recordedKg,unweighedEvents,inputKg,mainOutputKg,yield,transfers,');
      expect(text).toMatch(/2026-09-01,\d+,8,40335,0,29779,24779,0\.832096,/);
    });
  });

  describe('places', () => {
    it('are plots with what was recorded of them, and where events happened', async () => {
      const { places, summary } = await reports().read('rice', 'places');
      const plots = places.filter(({ kind }: Body) => kind === 'plot');
      expect(plots).toMatchObject([
        { name: 'A1', areaHa: 1.6, exact: true, position: [105.783412, 10.034518], organisations: ['Example Farm A'], events: 1 },
        { name: 'B1', areaHa: 14.6, geometry: { type: 'Polygon' }, exact: true },
      ]);
      const mill = places.find(({ name }: Body) => name === 'Example Mill');
      expect(mill).toMatchObject({ kind: 'place', country: 'VN', exact: false, processTypes: expect.arrayContaining(['RICE_MILLING']) });
      expect(mill.position).toHaveLength(2);
      expect(summary).toMatchObject({ plots: 2, withoutPosition: 0, incomplete: false });
      expect(summary.eventsRead).toBeGreaterThan(8);
    });

    it('are sites too: what events state by their GLN is the site', async () => {
      const orgId = await reports().orgIdOf('rice', 'Example Mill');
      const position = { type: 'Point', coordinates: [106.4, 10.54] };
      await reports().rice.post(`/api/v1/organisations/${orgId}/sites`, { name: 'Mill 1', gln: '9520000100032', location: position });
      const { places } = await reports().read('rice', `places?orgId=${orgId}`);
      const mills = places.filter(({ placeKey }: Body) => placeKey === 'https://id.gs1.org/414/9520000100032');
      expect(mills).toMatchObject([
        { kind: 'site', name: 'Mill 1', position: [106.4, 10.54], exact: true, organisations: ['Example Mill'] },
      ]);
      expect(mills[0].events).toBeGreaterThan(3);
      expect(places.filter(({ kind }: Body) => kind === 'plot')).toEqual([]);
    });

    it('are a table', async () => {
      const { text } = await reports().csv('rice', 'places?format=csv');
      expect(text).toMatch(/,plot,A1,,105\.783412,10\.034518,true,1\.6,Example Farm A,RICE_HARVESTING,1,2026-09-15/);
    });
  });
}
