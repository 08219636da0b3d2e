import { describe, expect, it } from '@jest/globals';
import type { TraceabilityClient } from '#client';
import type { World } from '../harness/world.js';
import { type Json, type RiceTrade, codeOf } from './rice-trade.js';

/** @param journey what the journey of EPCIS prepared, once its tests run */
export function handOversSuite(journey: () => { readonly world: World; readonly trade: RiceTrade }): void {
  describe('of a hand-over without an event', () => {
    const custodyOf = async (tokenId: number, query = ''): Promise<Json[]> => {
      const document = await journey().trade.api.get<Json>(`/api/v1/events?format=epcis&all=true&tokenId=${tokenId}${query}`);
      return (document['epcisBody']['eventList'] as Json[]).filter((event) => event['trc:custody'] !== undefined);
    };

    it('has the time and the place that its note states, and is listed by that time', async () => {
      const { trade } = journey();
      const { tokenId } = await trade.harvest();
      const dock = { name: 'Dock', gln: '9520000100032', id: 'https://id.gs1.org/414/9520000100032/254/4' };
      const handedOverAt = '2026-11-20T17:30:00+07:00';
      await trade.land(trade.farmA, trade.custody(trade.farmA, { tokenIds: [tokenId], to: trade.mill.address }));
      await trade.land(
        trade.mill,
        trade.custody(trade.mill, { action: 'accept', tokenIds: [tokenId], metadata: { handedOverAt, location: dock } }),
      );
      const [offered, accepted] = (await custodyOf(tokenId)).toSorted((a, b) => (a['trc:custody'] > b['trc:custody'] ? -1 : 1));
      expect(accepted).toMatchObject({
        'trc:custody': 'accepted',
        eventTime: '2026-11-20T10:30:00.000Z',
        eventTimeZoneOffset: '+07:00',
        readPoint: { id: dock.id },
        bizLocation: { id: dock.id },
      });
      // Recorded when its block was made, days later.
      expect(Date.parse(accepted!['recordTime'])).toBeGreaterThan(Date.parse(accepted!['eventTime']) + 86_400_000);
      expect(offered).toMatchObject({ 'trc:custody': 'offered', eventTimeZoneOffset: '+00:00' });
      expect(offered!['eventTime']).toBe(offered!['recordTime']);
      const kinds = async (query: string): Promise<string[]> =>
        (await custodyOf(tokenId, query)).map((event) => event['trc:custody'] as string);
      expect(await kinds('')).toEqual(['offered', 'accepted']);
      expect(await kinds('&to=2026-11-21')).toEqual(['accepted']);
      expect(await kinds('&from=2026-11-21')).toEqual(['offered']);
    });

    it('is in the lists of custody with that time and, for its companies, the place', async () => {
      const { trade, world } = journey();
      const { farmA, farmB, mill } = trade;
      const { tokenId } = await trade.harvest();
      const note = { handedOverAt: '2026-11-20T17:30:00+07:00', location: { name: 'Dock', gln: '9520000100032' } };
      await trade.land(farmA, trade.custody(farmA, { tokenIds: [tokenId], to: mill.address, metadata: note }));
      const { orgId } = world.tenant('rice').actors['mill']!;
      const paths = [`nfts/${tokenId}/custody`, `custody/org/${orgId}?direction=in&status=all`];
      const shown = (api: TraceabilityClient): Promise<Json[]> =>
        Promise.all(
          paths.map(async (path) => {
            const { data } = await api.get<{ data: Json[] }>(`/api/v1/${path}`);
            const { status, handedOverAt, handedOverTimeZoneOffset, location } = data.find(
              (one) => one['tokenId'] === tokenId && one['status'] !== 'mint',
            )!;
            return [status, handedOverAt, handedOverTimeZoneOffset, location];
          }),
        );
      const offered = ['pending', '2026-11-20T10:30:00.000Z', '+07:00', note.location];
      for (const { api } of [farmA, mill, trade]) expect(await shown(api)).toEqual([offered, offered]);
      const hidden = ['pending', offered[1], '+07:00', null];
      expect(await shown(farmB.api)).toEqual([hidden, hidden]);
      const later = { handedOverAt: '2026-11-20T11:00:00Z' };
      await trade.land(mill, trade.custody(mill, { action: 'accept', tokenIds: [tokenId], metadata: later }));
      const accepted = ['accepted', '2026-11-20T11:00:00.000Z', null, null];
      expect(await shown(trade.api)).toEqual([accepted, accepted]);
    });

    it('is refused with a time or a place that cannot be', async () => {
      const { trade } = journey();
      const { tokenId } = await trade.harvest();
      const offer = (metadata: object): Promise<string> =>
        codeOf(trade.custody(trade.farmA, { tokenIds: [tokenId], to: trade.mill.address, metadata }));
      expect(await offer({ handedOverAt: 'yesterday', location: { gln: '9520000100033' } })).toBe('invalid_time,wrong_check_digit');
      expect(await offer({ handedOverAt: '2026-11-20T10:30:00Z' })).toBe('taken');
    });
  });
}
