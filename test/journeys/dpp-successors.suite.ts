import { beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMPLE_BATTERY } from '#passports/testing';
import { eventually } from '../harness/eventually.js';
import type { CellMaker } from './dpp-world.js';
import type { Json } from './rice-trade.js';

const VOCABULARY = 'https://ref.openepcis.io/extensions/eu/battery/';
const ELSEWHERE = 'https://passports.example/urn/4711';
const PREVIOUS_TERM = 'https://w3id.org/eudpp#linkToPreviousDPP';
const place = { country: 'VN', gln: '9520000100018', name: 'Hall' };
const urnOf = ({ id }: Json): string => `urn:uuid:${(id as string).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;

/** Article 77(7) and (8) of (EU) 2023/1542: packs in another life. @param of the maker, and the id of a pack's lot */
export function dppSuccessorsSuite(of: () => { readonly maker: CellMaker; readonly first: Json }): void {
  describe('of batteries in another life', () => {
    let maker: CellMaker;
    let first: Json;
    let second: Json;
    let returned: number;

    const lotOf = async (tlc: string): Promise<number> => (await maker.admin.lots.byTlc(tlc)).tokenId;
    const one = { value: 1, uom: 'H87' };
    const eventTime = (): string => new Date(Date.now() - 60_000).toISOString();
    const another = (processType: string, inputTokenIds: readonly number[], serial: string, more: Json = {}): Json => ({
      ...{ processType, inputTokenIds, outputTlc: serial },
      metadata: {
        ...{ eventTime: eventTime(), location: place, quantity: one, gtin: '09520323450012', serial },
        ...{ inputs: inputTokenIds.map((tokenId) => ({ tokenId, quantity: one })) },
        ...{ battery: { ...EXAMPLE_BATTERY, status: `${VOCABULARY}Repurposed` }, ...more },
      },
    });
    const refusal = async (event: Json): Promise<unknown> =>
      maker.mill.api.post<Json>('/api/v1/events/prepare', event).then(
        () => 'prepared',
        (error: { status: number; body?: Json }) => [error.status, JSON.stringify(error)],
      );
    const read = async (path: string, headers: Record<string, string> = {}): Promise<Json> => {
      const answer = await fetch(`${maker.world.baseUrl}${path}`, { headers });
      expect([path, answer.status]).toEqual([path, 200]);
      return (await answer.json()) as Json;
    };
    const shown = (passport: Json, name: string, expected: unknown): Promise<Json> =>
      eventually(`${name} of ${passport['serial']}`, async () => {
        const document = await read(`/v1/dppsByIdAndDate/${passport['id']}?date=${encodeURIComponent(new Date().toISOString())}`);
        return JSON.stringify(document[name]) === JSON.stringify(expected) ? document : undefined;
      });
    const status = async (passport: Json): Promise<unknown> => {
      const grant = await maker.admin.post<Json>(`/api/v1/passports/${passport['id']}/grants`, {
        ...{ accessClass: 'legitimate_interest', grantee: 'Example Recycling', purpose: 'Second life' },
      });
      return (await read(`/v1/dpps/${passport['id']}`, { 'x-dpp-grant': grant['token'] as string }))['status'];
    };

    beforeAll(async () => {
      ({ maker, first } = of());
      await maker.record({
        ...{ processType: 'BATTERY_TAKE_BACK', outputTlc: 'RETURNED-1' },
        metadata: { eventTime: eventTime(), location: place, quantity: one },
      });
      returned = await lotOf('RETURNED-1');
      const inputs = [await lotOf(first['tlc'] as string), returned];
      const known = (await maker.versionsOf(first['id'] as string)).length;
      await maker.record(another('BATTERY_REPURPOSING', inputs, 'STORE-000001', { previousPassports: [ELSEWHERE] }));
      second = await maker.passportOf('STORE-000001');
      await eventually('the change of the first is archived, though nobody reads it', async () =>
        (await maker.versionsOf(first['id'] as string)).length > known ? true : undefined,
      );
    });

    it('have a new passport that links to those of before, and those to it', async () => {
      expect(second['id']).not.toBe(first['id']);
      const later = await read(`/v1/dpps/${second['id']}`);
      expect(later).toMatchObject({ previousPassports: [urnOf(first), ELSEWHERE], dppStatus: 'active' });
      expect(later).not.toHaveProperty('nextPassports');
      expect(later['@context']).toMatchObject({ previousPassports: PREVIOUS_TERM });
      const full = await read(`/v1/dpps/${second['id']}?representation=full`);
      expect((full['elements'] as Json[]).find(({ elementId }) => elementId === 'previousPassports')).toEqual({
        ...{ elementId: 'previousPassports', objectType: 'MultiValuedDataElement', valueDataType: 'xsd:anyURI', reference: true },
        ...{ dictionaryReference: PREVIOUS_TERM, value: [urnOf(first), ELSEWHERE] },
      });
      const named: unknown = await read(`/v1/dpps/${second['id']}/elements/${encodeURIComponent("$['previousPassports'][0]")}`);
      expect(named).toBe(urnOf(first));
      // The link is an id that the interface reads.
      expect(await read(`/v1/dpps/${encodeURIComponent(urnOf(first))}`)).toMatchObject({ serialNumber: first['serial'] });
      const earlier = await shown(first, 'nextPassports', [urnOf(second)]);
      expect(earlier).not.toHaveProperty('previousPassports');
    });

    it('have links on their pages, which a person follows in both directions', async () => {
      const page = (passport: Json): Promise<string> =>
        fetch(`${maker.world.baseUrl}/p/${passport['id']}?lang=de`, { headers: { accept: 'text/html' } }).then((answer) => answer.text());
      const later = await page(second);
      expect(later).toContain('<h2>Frühere Pässe</h2>');
      expect(later).toContain(`<a href="/p/${first['id']}">`);
      expect(later).toContain(`href="${ELSEWHERE}" rel="nofollow noopener"`);
      await shown(first, 'nextPassports', [urnOf(second)]);
      const json = await eventually('the first page names the second', async () => {
        const passport = await read(`/p/${first['id']}`, { accept: 'application/json' });
        return (passport['nextPassports'] as Json[]).length > 0 ? passport : undefined;
      });
      expect(json['nextPassports']).toMatchObject([{ id: urnOf(second), passportId: second['id'], name: 'Battery pack' }]);
      expect(await page(first)).toContain(`<a href="/p/${second['id']}">`);
    });

    it('say their status to persons with a legitimate interest, and no other status than the process gives', async () => {
      expect([await status(first), await status(second)]).toEqual([`${VOCABULARY}Original`, `${VOCABULARY}Repurposed`]);
      const wrong = another('BATTERY_REPURPOSING', [returned], 'STORE-000002', { battery: EXAMPLE_BATTERY });
      expect(await refusal(wrong)).toEqual([422, expect.stringContaining('/metadata/battery/status')]);
      const link = another('BATTERY_REPURPOSING', [returned], 'STORE-000002', { previousPassports: ['no address'] });
      expect(await refusal(link)).toEqual([422, expect.stringContaining('/previousPassports/0')]);
    });

    it('become waste without a new passport', async () => {
      const patch = await maker.admin.request<Json>('PATCH', `/v1/dpps/${second['id']}`, { status: `${VOCABULARY}Waste` });
      await maker.wallet.land(patch['preparedTx'] as never, 'test');
      await eventually('the status is waste', async () => ((await status(second)) === `${VOCABULARY}Waste` ? true : undefined));
      expect(await maker.passportOf('STORE-000001')).toMatchObject({ id: second['id'] });
    });

    it('lose the link to a passport that is withdrawn', async () => {
      await maker.admin.post(`/api/v1/passports/${second['id']}/withdraw`, { reason: 'Test' });
      const draft = await maker.admin.get<Json>(`/api/v1/nfts/${await lotOf(first['tlc'] as string)}/passport`);
      expect(draft['nextPassports']).toEqual([]);
      await maker.admin.post(`/api/v1/passports/${second['id']}/reinstate`, {});
    });

    it('have a passport that ends when they are recycled', async () => {
      const event = {
        processType: 'BATTERY_RECYCLING',
        inputTokenIds: [await lotOf('STORE-000001')],
        metadata: { eventTime: eventTime() },
      };
      await maker.record(event);
      expect(await shown(second, 'dppStatus', 'archived')).toMatchObject({ passportStatus: 'retired' });
    });
  });
}
