import { beforeAll, describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import type { Body, ReportsWorld } from './reports-world.js';

/** The sheet of 21 CFR 1.1455 for the demo's seafood, which has every kind of row. */
export function seafoodSheet(reports: () => ReportsWorld): void {
  describe('the FSMA 204 sheet of seafood', () => {
    let rows: Body[];
    beforeAll(async () => {
      await reports().world.play('seafood');
      rows = (await reports().read('seafood', 'fsma204'))['rows'];
    });

    const of = (cte: string | null): Body[] => rows.filter((row) => row['cte'] === cte);
    const metadataOf = (processType: string): Body =>
      readScenario('seafood').steps.flatMap((one) => ('processType' in one && one.processType === processType ? [one.metadata] : []))[0]!;

    it('has the critical tracking event of each event; a vessel has none (21 CFR 1.1325)', () => {
      expect(rows.map(({ cte, tlc, inputTlc }) => [cte, tlc, inputTlc])).toEqual([
        [null, 'TRIP-20261103-NORDLYS', null],
        [null, 'TRIP-20261104-HAVGLYTT', null],
        ['first_land_based_receiving', 'L26309-01', 'TRIP-20261103-NORDLYS'],
        ['first_land_based_receiving', 'L26309-01', 'TRIP-20261104-HAVGLYTT'],
        ['receiving', 'OS-4471', null],
        ['transformation', 'F26310-1', 'L26309-01'],
        ['transformation', 'F26310-1', 'OS-4471'],
        ['transformation', 'F26310-1T', 'L26309-01'],
        ['transformation', 'F26310-1T', 'OS-4471'],
        ['shipping', 'F26310-1', null],
        ['receiving', 'F26310-1', null],
      ]);
    });

    it('has what 21 CFR 1.1335 asks for, of each of two trips landed into one lot', () => {
      const landed = {
        ...{
          species: 'Atlantic cod (Gadus morhua)',
          landingDate: '2026-11-05',
          quantity: 1980,
          unit: 'KGM',
          tlcSourceName: 'Example Seafood',
        },
        ...{ referenceDocumentType: 'LANDING_DECLARATION', referenceDocumentNumber: 'LD-5501' },
      };
      expect(of('first_land_based_receiving')).toMatchObject([
        { ...landed, harvestDate: '2026-10-27', harvestDateEnd: '2026-11-02', catchLocations: 'FAO 27.2.a', inputQuantity: 1500 },
        { ...landed, harvestDate: '2026-10-30', harvestDateEnd: '2026-11-03', catchLocations: 'FAO 27.1', inputQuantity: 500 },
      ]);
    });

    it('receives goods from outside under the code of their sender, with the reference to their source (21 CFR 1.1345)', () => {
      expect(of('receiving')[0]).toMatchObject({
        ...{ tlc: 'OS-4471', internalLotCode: null, quantity: 400, unit: 'KGM', productDescription: 'Cod, whole, iced, bulk' },
        ...{ previousSourceName: 'Outside Seafood', locationName: 'Example Seafood', dateReceived: '2026-11-05' },
        ...{ tlcSourceName: null, tlcSourceReference: 'https://tlc.example/outside-seafood', referenceDocumentNumber: 'BOL-91' },
      });
    });

    it('writes that receipt in EPCIS as an observation, which says where it came from', async () => {
      const { eventId } = of('receiving')[0]!;
      const epcis = await reports().seafood.get<Body>(`/api/v1/events/${eventId}?format=epcis`);
      const [event] = epcis['epcisBody']['eventList'];
      expect(event).toMatchObject({
        type: 'ObjectEvent',
        action: 'OBSERVE',
        bizStep: 'receiving',
        quantityList: [{ quantity: 400, uom: 'KGM' }],
      });
      expect(event['destinationList']).toContainEqual({ type: 'location', destination: 'https://id.gs1.org/414/9520000100025' });
      expect(event['ilmd']).toBeUndefined();
    });

    it('says of what was made of the products, and of the products where they were made and went', () => {
      expect(of('transformation')).toMatchObject([
        {
          productDescription: 'Cod fillets, skinless, case of 10 kg',
          gtin: '09520423450011',
          quantity: 90,
          unit: 'XCS',
          inputQuantity: 1900,
        },
        { inputProduct: 'Cod, whole, iced, bulk', inputQuantity: 300, transformationDate: '2026-11-06' },
        { productDescription: 'Cod trimmings', gtin: null, quantity: 1200, unit: 'KGM' },
        { productDescription: 'Cod trimmings' },
      ]);
      expect(of('shipping')).toMatchObject([
        {
          ...{ quantity: 90, unit: 'XCS', shippingDate: '2026-11-07', subsequentRecipientName: 'Example Market' },
          ...{ tlcSourceName: 'Example Seafood', tlcSourceCity: 'Gloucester', locationName: 'Example Seafood' },
        },
      ]);
      expect(of('receiving')[1]).toMatchObject({ previousSourceName: 'Example Seafood', dateReceived: '2026-11-08', quantity: 90 });
    });

    it('as XLSX has all rows in one worksheet, and those of each critical tracking event in another with its columns', async () => {
      const { bytes, headers } = await reports().file('seafood', 'fsma204?format=xlsx');
      expect(headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
      expect(headers.get('content-disposition')).toBe('attachment; filename="fsma204-seafood.xlsx"');
      const files = unzipSync(bytes);
      const text = (name: string): string => strFromU8(files[name]!);
      const names = [...text('xl/workbook.xml').matchAll(/<sheet name="([^"]+)"/g)].map(([, name]) => name);
      expect(names).toEqual(['fsma204', 'first_land_based_receiving', 'shipping', 'receiving', 'transformation']);
      const counts = names.map((_, i) => text(`xl/worksheets/sheet${i + 1}.xml`).split('<row ').length - 2);
      expect(counts).toEqual([11, 2, 1, 2, 4]);
      const header = (i: number): string[] =>
        [
          ...text(`xl/worksheets/sheet${i}.xml`)
            .split('</row>')[0]!
            .matchAll(/<t [^>]+>([^<]+)<\/t>/g),
        ].map(([, name]) => name!);
      const { text: csv } = await reports().csv('seafood', 'fsma204?format=csv');
      expect(header(1).join(',')).toBe(csv.slice(1, csv.indexOf('\r\n')));
      expect(header(2)).toEqual(
        expect.arrayContaining(['Landing date', 'Harvest locations', 'Species or market name', 'TLC source phone']),
      );
      expect(header(3)).not.toContain('Landing date');
    });

    it('says of a lot how much there was when it was shipped, as EPCIS does, whatever was made and used of it before and after', async () => {
      const plant = await reports().world.company('seafood', 'plant');
      const market = await reports().world.company('seafood', 'market');
      const tokenIds: number[] = [];
      for (const tlc of ['L26309-01', 'OS-4471']) tokenIds.push((await plant.api.lots.byTlc(tlc)).tokenId);
      const { quantity: _, ...metadata } = { ...metadataOf('SEAFOOD_SHIPPING'), productDescription: 'Cod, whole' } as Body;
      // Two lots in one shipment have no one quantity; the schema asks for a sum.
      const words = { ...metadata, quantity: { value: 180, uom: 'KGM' } };
      const { preparedTx, eventId } = (await plant.api.custody.prepare({
        ...{ action: 'offer', tokenIds, to: market.address, processType: 'SEAFOOD_SHIPPING', metadata: words },
      })) as unknown as { preparedTx: never; eventId: string };
      await plant.land(preparedTx, 'custody');
      const shipped = async (): Promise<unknown> =>
        (await reports().read('seafood', 'fsma204'))['rows']
          .filter((row: Body) => row['eventId'] === eventId)
          .map(({ tlc, quantity, unit, tlcSourceName, tlcSourceReference }: Body) => [
            tlc,
            quantity,
            unit,
            tlcSourceName,
            tlcSourceReference,
          ]);
      const then = [
        ['L26309-01', 80, 'KGM', 'Example Seafood', null],
        // Its own source is the one that its sender named.
        ['OS-4471', 100, 'KGM', 'Example Seafood', 'https://tlc.example/outside-seafood'],
      ];
      expect(await shipped()).toEqual(then);
      const epcis = await reports().seafood.get<Body>(`/api/v1/events/${eventId}?format=epcis`);
      expect(epcis['epcisBody']['eventList'][0]['quantityList'].map((line: Body) => [line['quantity'], line['uom']])).toEqual([
        [80, 'KGM'],
        [100, 'KGM'],
      ]);
      await market.land(await market.api.custody.prepare({ action: 'accept', tokenIds }), 'custody');
      const process = { ...metadataOf('SEAFOOD_PROCESSING'), coProducts: [], quantity: { value: 4, uom: 'XCS' }, losses: [] } as Body;
      const used = await market.api.events.prepare({
        processType: 'SEAFOOD_PROCESSING',
        inputTokenIds: [tokenIds[0]!],
        outputTlc: 'F26311-M',
        metadata: { ...process, inputs: [{ tlc: 'L26309-01', quantity: { value: 80, uom: 'KGM' } }] },
      });
      await market.land(used, 'event');
      expect(await shipped()).toEqual(then);
    });
  });
}
