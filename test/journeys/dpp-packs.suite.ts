import { beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMPLE_BATTERY, EXAMPLE_GARMENT } from '#passports/testing';
import { processMapTemplate } from '#traceability';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { accessibilityFaults } from '../harness/portal-visit.js';
import { dppSuccessorsSuite } from './dpp-successors.suite.js';
import type { CellMaker } from './dpp-world.js';
import type { Json } from './rice-trade.js';

const chromium = findChromium();
const inBrowser = chromium === null ? it.skip : it;
const eventTime = (): string => new Date(Date.now() - 60_000).toISOString();
const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const place = { country: 'VN', gln: '9520000100018', name: 'Hall' };

/** Goods of the process maps that the law describes, from their first lot to what people read of them. */
export function dppPacksSuite(makerOf: () => CellMaker): void {
  describe('of the process maps for batteries and textiles', () => {
    let maker: CellMaker;
    let battery: Json;
    let garment: Json;

    const made = async (event: Json): Promise<Json> => {
      await maker.record(event);
      return maker.passportOf(event['outputTlc'] as string);
    };
    const lot = async (processType: string, tlc: string, metadata: object): Promise<number> => {
      await maker.record({ processType, outputTlc: tlc, metadata: { eventTime: eventTime(), location: place, ...metadata } });
      return (await maker.admin.lots.byTlc(tlc)).tokenId;
    };

    beforeAll(async () => {
      maker = makerOf();
      for (const name of ['battery', 'textile']) await maker.admin.post('/api/v1/process-maps', processMapTemplate(name));
      const cells = await lot('BATTERY_CELL_MAKING', 'CELLS-1', { quantity: { value: 100, uom: 'H87' }, chemistry: 'LFP' });
      const fabric = await lot('TEXTILE_WEAVING', 'FABRIC-1', { quantity: { value: 500, uom: 'MTR' }, fibre: 'Polyester' });
      battery = await made({
        ...{ processType: 'BATTERY_ASSEMBLY', inputTokenIds: [cells], outputTlc: 'PACK-000001' },
        metadata: {
          ...{ eventTime: eventTime(), location: place, quantity: { value: 1, uom: 'H87' }, gtin: '09520323450012', serial: 'PACK-000001' },
          ...{ inputs: [{ tokenId: cells, quantity: { value: 16, uom: 'H87' } }], battery: EXAMPLE_BATTERY, picture: PIXEL },
        },
      });
      const gtin = (processMapTemplate('textile') as Json)['assetTypes'].TEXTILE_GARMENT.gtin as string;
      garment = await made({
        ...{ processType: 'TEXTILE_MAKING', inputTokenIds: [fabric], outputTlc: 'JACKETS-1' },
        metadata: {
          ...{ eventTime: eventTime(), location: place, quantity: { value: 40, uom: 'H87' }, gtin },
          ...{ inputs: [{ tokenId: fabric, quantity: { value: 80, uom: 'MTR' } }], garment: EXAMPLE_GARMENT },
        },
      });
    });

    const read = async (id: unknown, headers: Record<string, string> = {}): Promise<Json> => {
      const answer = await fetch(`${maker.world.baseUrl}/v1/dpps/${id as string}`, { headers });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Json;
    };

    it('say what everybody reads, and the rest with a grant', async () => {
      expect(battery).toMatchObject({ granularity: 'item', serial: 'PACK-000001' });
      const open = await read(battery['id']);
      expect(open).toMatchObject({ batteryModelIdentifier: 'EX-5', renewableContent: 3, hasRecycledContent: { lithiumRecycledShare: 12 } });
      for (const name of ['status', 'hasStateOfHealth', 'dismantlingInformation', 'resultOfTestReport'])
        expect(open).not.toHaveProperty(name);
      const grant = await maker.admin.post<Json>(`/api/v1/passports/${battery['id']}/grants`, {
        ...{ accessClass: 'authority', grantee: 'Market surveillance', purpose: 'Inspection' },
      });
      const all = await read(battery['id'], { 'x-dpp-grant': grant['token'] });
      expect(all).toMatchObject({ status: EXAMPLE_BATTERY.status, hasStateOfHealth: { value: 98.5 }, hasStateOfCharge: { value: 80 } });
      expect(all).toHaveProperty('resultOfTestReport');
      expect(await read(garment['id'])).toMatchObject({ granularity: 'batch', hasBatchLotNumber: 'JACKETS-1' });
    });

    it('have a page in plain words', async () => {
      const page = await (await fetch(`${maker.world.baseUrl}/p/${battery['id']}`, { headers: { accept: 'text/html' } })).text();
      for (const words of ['125.5 kg', 'Industrial battery', '51.2 V', `src="${PIXEL}"`]) expect(page).toContain(words);
      expect(page).not.toMatch(/unitCode|KGM|>https:\/\/ref\./);
    });

    inBrowser('have a page for everybody: by its language, by keyboard, without a script', async () => {
      const browser = await openBrowser(chromium!);
      const shots = process.env['SCREENSHOTS'];
      try {
        const grant = await maker.admin.post<Json>(`/api/v1/passports/${battery['id']}/grants`, {
          ...{ kind: 'key', accessClass: 'authority', grantee: 'Market surveillance', purpose: 'Inspection' },
        });
        for (const locale of ['en', 'vi']) {
          const context = await browser.newContext({ locale });
          const { page, complaints } = await openPage(context);
          await page.goto(`${maker.world.baseUrl}/p/${battery['id']}`);
          expect([locale, await page.getAttribute('html', 'lang'), await accessibilityFaults(page)]).toEqual([locale, locale, []]);
          if (shots !== undefined) await page.screenshot({ path: `${shots}/passport-${locale}.png`, fullPage: true });
          expect(complaints).toEqual([]);
          await context.close();
        }
        const context = await browser.newContext({ locale: 'en', javaScriptEnabled: false });
        const { page } = await openPage(context);
        await page.goto(grant['url'] as string);
        if (shots !== undefined) await page.screenshot({ path: `${shots}/grant-offer.png`, fullPage: true });
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await page.getByText('State of health').first().waitFor();
        if (shots !== undefined) await page.screenshot({ path: `${shots}/grant-open.png`, fullPage: true });
        await context.close();
      } finally {
        await browser.close();
      }
    });

    dppSuccessorsSuite(() => ({ maker, first: battery }));
  });
}
