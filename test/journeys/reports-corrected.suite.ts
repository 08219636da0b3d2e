import { beforeAll, describe, expect, it } from '@jest/globals';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import type { Body, ReportsWorld } from './reports-world.js';
import { administrator, codeOf } from './rice-trade.js';

const BAGS = 'RP262641';
const LAB = 'https://id.gs1.org/414/9520000100032';

/** What a correction changes in words, every reader follows; what was done stays with who did it. */
export function correctedWords(reports: () => ReportsWorld): void {
  describe('a correction by the administrator of the tenant', () => {
    let lot: Body;
    let packing: Body;
    let corrected: string;
    let declared: Body;
    const original = (): Body =>
      readScenario('rice').steps.flatMap((one) => ('processType' in one && one.processType === 'RICE_PACKING' ? [one.metadata] : []))[0]!;
    const words = (): Body => ({
      ...original(),
      bestBefore: '2026-12-24',
      productDescription: 'Jasmine rice, relabelled',
      completedOn: '2026-09-22',
      location: { ...original()['location'], id: LAB, city: 'Tan An' },
      documents: [...original()['documents'], { type: 'RELABELLING', number: 'RL-1', visibility: 'public' }],
      packaging: { ...original()['packaging'], recyclable: false },
      footprint: { ...original()['footprint'], carbon: more(original()['footprint']['carbon'], 100) },
    });
    /** The same declaration with more carbon, all of it fossil. */
    const more = ({ value, fossil, ...carbon }: Body, kg: number): Body => ({
      ...{ ...carbon, value: (value as number) + kg },
      ...(fossil !== undefined && { fossil: (fossil as number) + kg }),
    });
    const carbonOf = async (): Promise<Body> => (await read(`nfts/${lot['tokenId']}/footprint`))['indicators']['carbon'];
    const supersede = (metadata: Body): Promise<Body> =>
      reports().rice.post<Body>(`/api/v1/events/${packing['id']}/supersede/prepare`, { metadata });
    const read = (path: string): Promise<Body> => reports().rice.get<Body>(`/api/v1/${path}`);

    beforeAll(async () => {
      lot = await reports().rice.lots.byTlc(BAGS);
      packing = await read(`events/${lot['mintEventId']}`);
      declared = await carbonOf();
      const admin = await administrator(reports().world, 'rice');
      const prepared = await supersede(words());
      corrected = prepared['eventId'];
      await admin.land(prepared['preparedTx'], 'event');
    });

    it('is followed by the lot and by lists of lots', async () => {
      const now = await read(`nfts/${lot['tokenId']}`);
      expect(now).toMatchObject({
        expiresAt: '2026-12-24T16:59:59.000Z',
        metadata: { bestBefore: '2026-12-24', productDescription: 'Jasmine rice, relabelled' },
        mintEventId: packing['id'],
      });
      expect((await read(`nfts?tlc=${BAGS}`))['data']).toEqual([now]);
      const expiring = async (before: string): Promise<unknown[]> =>
        (await read(`nfts?expiringBefore=${before}`))['data'].map(({ tlc }: Body) => tlc as string);
      expect(await expiring('2027-01-01')).toContain(BAGS);
      // As it was before.
      expect(await read(`nfts/${lot['tokenId']}?asOf=${packing['blockNumber']}`)).toMatchObject({
        expiresAt: lot['expiresAt'],
        metadata: { bestBefore: original()['bestBefore'] },
      });
    });

    it('is followed by alerts and inventory', async () => {
      await eventually(
        'the alert',
        async () =>
          (await reports().read('rice', 'inventory'))['locations'].some(({ items }: Body) =>
            items.some((item: Body) => item['earliestExpiry'] === '2026-12-24T16:59:59.000Z'),
          ) || null,
      );
    });

    it('is listed with the lot, and so is what it corrects, which stays as it was', async () => {
      const { data } = await read(`nfts/${lot['tokenId']}/events?limit=100`);
      const found = (id: string): Body => data.find((event: Body) => event['id'] === id);
      expect(found(packing['id'])).toMatchObject({ status: 'superseded', supersededBy: corrected, metadata: original() });
      expect(found(corrected)).toMatchObject({ status: 'recorded', supersedes: packing['id'], metadata: words() });
      // Who signed it is who corrected; who packed has not changed.
      expect(found(packing['id'])['actor'].orgId).toBe(await reports().orgIdOf('rice', 'Example Mill'));
      const mill = await reports().world.company('rice', 'mill');
      expect(await mill.api.get<Body>(`/api/v1/events/${corrected}`)).toMatchObject({ metadata: words() });
    });

    it('is followed by the sheet, documents and EPCIS', async () => {
      const rows: Body[] = (await reports().read('rice', `fsma204?tlc=${BAGS}`))['rows'];
      expect(rows[0]).toMatchObject({
        ...{ eventId: packing['id'], productDescription: 'Jasmine rice, relabelled', transformationDate: '2026-09-22' },
        ...{ locationCity: 'Tan An', tlcSourceCity: 'Tan An', inputTlc: 'RM-20260920-01' },
      });
      // Later events are about the same goods.
      const goods = rows.filter(({ tlc }) => tlc === BAGS);
      expect(new Set(goods.map(({ productDescription }) => productDescription as string))).toEqual(new Set(['Jasmine rice, relabelled']));
      const { documents } = await reports().read('rice', 'documents?limit=1000');
      expect(documents.filter(({ type }: Body) => type === 'RELABELLING')).toHaveLength(1);
      const [event] = (await read(`events/${corrected}?format=epcis`))['epcisBody']['eventList'];
      expect(event['ilmd']).toMatchObject({ 'cbvmda:bestBeforeDate': '2026-12-24', 'cbvmda:descriptionShort': 'Jasmine rice, relabelled' });
      expect(event['outputQuantityList']).toMatchObject([{ quantity: 1400, uom: 'H87' }]);
    });

    it('is followed by the footprint, PACT and the passport that the public would read', async () => {
      const now = await carbonOf();
      expect(now['total'] - declared['total']).toBeCloseTo(100, 3);
      expect(now['byProcess']['RICE_PACKING'] - declared['byProcess']['RICE_PACKING']).toBeCloseTo(100, 3);
      const { productDescription, pcf } = await read(`nfts/${lot['tokenId']}/exports/pact`);
      expect([productDescription, Number(pcf['pcfExcludingBiogenicUptake'])]).toEqual([
        'Jasmine rice, relabelled',
        expect.closeTo(now['perUnit'], 5),
      ]);
      const passport = await read(`nfts/${lot['tokenId']}/passport`);
      expect(passport['product']).toMatchObject({
        ...{ description: 'Jasmine rice, relabelled', bestBefore: '2026-12-24' },
        attributes: { packaging: { recyclable: false } },
      });
      expect(passport['footprint']['indicators']['carbon']['perUnit']).toBeCloseTo(now['perUnit'], 5);
      expect((passport['certificates'] as Body[]).map(({ type }) => type as string)).toContain('TEST_REPORT');
    });

    it('leaves exports to the organisation that packed', async () => {
      const passport = await read(`nfts/${lot['tokenId']}/exports/untp-dpp`);
      expect(JSON.stringify(passport)).toContain('Example Mill');
      expect(passport['validUntil']).toBe('2026-12-24T16:59:59.000Z');
    });

    it('of a correction counts alone', async () => {
      const admin = await administrator(reports().world, 'rice');
      const prepared = await supersede({ ...words(), bestBefore: '2027-02-01' });
      await admin.land(prepared['preparedTx'], 'event');
      expect(await read(`nfts/${lot['tokenId']}`)).toMatchObject({ expiresAt: '2027-02-01T16:59:59.000Z' });
      expect(await read(`events/${corrected}`)).toMatchObject({ status: 'superseded', supersededBy: prepared['eventId'] });
      const passport = await read(`nfts/${lot['tokenId']}/exports/untp-dpp`);
      expect(passport['validUntil']).toBe('2027-02-01T16:59:59.000Z');
    });

    it('cannot change what is on chain: quantities, and which lot it is', async () => {
      expect(await codeOf(supersede({ ...words(), quantity: { value: 1, uom: 'H87' } }))).toBe('graph_stands');
      expect(await codeOf(supersede({ ...words(), gtin: '09520123450021' }))).toBe('graph_stands');
    });
  });
}
