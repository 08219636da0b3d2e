import { beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { type PreparedTx, Sender } from '#client';
import { CreateApiKey, CreateTenant } from '#identity';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import type { Body, ReportsWorld } from './reports-world.js';

const process = (label: string, kind: string, type: string, inputs: object) => ({
  label,
  kind,
  containmentMode: 0,
  epcis: { type, ...(kind === 'creation' && { action: 'ADD' }), bizStep: 'commissioning', disposition: 'active' },
  inputs: { consumption: 'full', ...inputs },
  outputs: { min: 1, max: 1, assetType: 'ODD_DRUM' },
  metadataSchema: { type: 'object' },
  documents: [{ type: 'WAYBILL', required: true }],
  requiredRoles: ['OPERATOR'],
});
/** Drums of something: no mass of a litre, no place, and no quantity asked for. */
const ODD_MAP = {
  formatVersion: '1.0',
  key: 'odd',
  name: 'Odd things',
  version: '1.0.0',
  chainOfCustody: 'segregated',
  assetTypes: { ODD_DRUM: { name: 'Drum', category: 'intermediate', uom: 'LTR' } },
  processes: {
    ODD_FILLING: process('Fill', 'creation', 'ObjectEvent', { min: 0, max: 0, assetTypes: [], consumption: 'none' }),
    ODD_BLENDING: process('Blend', 'transformation', 'TransformationEvent', { min: 1, max: 5, assetTypes: ['ODD_DRUM'] }),
  },
};

/** Facts without mass, place or unit, contradictions, recalls, and a tenant without data. */
export function oddFacts(reports: () => ReportsWorld): void {
  describe('of unusual data', () => {
    const DRUM = 'ODD_DRUM';
    let station: Company;

    beforeAll(async () => {
      await reports().wool.post('/api/v1/process-maps', ODD_MAP);
      station = await reports().world.company('wool', 'station');
      const waybill = (fields: object) => ({ documents: [{ type: 'WAYBILL', number: '=1+1', ...fields }] });
      const record = async (processType: string, outputTlc: string, metadata: object, inputTokenIds: number[] = []): Promise<number> => {
        const eventTime = new Date(Date.now() - 60_000).toISOString();
        const event = { processType, outputTlc, inputTokenIds, metadata: { eventTime, ...metadata } };
        await station.land((await station.api.events.prepare(event)).preparedTx, 'event');
        return (await reports().wool.lots.byTlc(outputTlc)).tokenId;
      };
      await record('ODD_FILLING', 'ODD-NONE', waybill({ sha256: 'a'.repeat(64), validTo: '2020-01-01' }));
      const litres = await record('ODD_FILLING', 'ODD-LITRES', { quantity: { value: 50, uom: 'LTR' } });
      await record('ODD_FILLING', 'ODD-KILOS', { quantity: { value: 30, uom: 'KGM' }, ...waybill({ sha256: 'b'.repeat(64) }) });
      await record('ODD_BLENDING', 'ODD-BLEND', { quantity: { value: 45, uom: 'LTR' } }, [litres]);
    });

    it('does not add litres to kilograms, counts lots without a unit, and has no place when none was recorded', async () => {
      const { locations } = await reports().read('wool', 'inventory');
      expect(locations.at(-1)).toMatchObject({ locationKey: 'unknown', location: null, custodians: [{ label: 'Example Station' }] });
      expect(locations.at(-1).items).toMatchObject([
        { assetType: DRUM, lots: 3, quantity: { LTR: 45, KGM: 30 }, massKg: 30, unmeasuredLots: 2, byStatus: { active: 3 } },
      ]);
    });

    it('has no yield for events without a mass, and counts them', async () => {
      const { processes } = await reports().read('wool', 'yield');
      expect(processes.find((one: Body) => one['processType'] === 'ODD_BLENDING')).toMatchObject({
        n: 0,
        unmeasured: 1,
        inputKg: 0,
        yield: null,
        gapRatio: null,
        distribution: { min: null, p10: null, median: null, p90: null, max: null, mean: null, sd: null },
        expected: null,
        outlierCount: 0,
        byMonth: [],
      });
      const { text } = await reports().csv('wool', 'yield?format=csv');
      expect(text).toContain('\r\nODD_BLENDING,Blend,0,1,0,0,0,0,0,,,,,,,,,,,,,0\r\n');
      expect(text).not.toMatch(/NaN|null|undefined/);
    });

    it('lists contradictory, expired and missing documents', async () => {
      const { documents, missing, summary } = await reports().read('wool', 'documents');
      expect(documents.find((one: Body) => one['type'] === 'WAYBILL')).toMatchObject({
        number: '=1+1',
        status: 'expired',
        conflict: true,
        uses: 2,
      });
      expect(summary).toMatchObject({
        conflicts: 1,
        byStatus: { expired: 1, undated: 3 },
        required: 8,
        present: 6,
        missing: 2,
        coverage: 0.75,
      });
      expect(missing.map(({ processType, type }: Body) => [processType, type])).toEqual([
        ['ODD_BLENDING', 'WAYBILL'],
        ['ODD_FILLING', 'WAYBILL'],
      ]);
      expect((await reports().csv('wool', 'documents?format=csv')).text).toContain(",WAYBILL,'=1+1,");
      // The file of one event is what its hash says; then that of the other turns out not to be.
      const { usedBy } = documents.find((one: Body) => one['type'] === 'WAYBILL');
      const verification = async (): Promise<unknown> =>
        (await reports().read('wool', 'documents'))['documents'].find((one: Body) => one['type'] === 'WAYBILL').verification;
      const file = { kind: 'document', value: 'b'.repeat(64) };
      await reports().savePointer('wool', 'nobody', { ...file, id: 'd1', subject: usedBy[0].eventId, matches: true });
      expect(await verification()).toBe('verified');
      await reports().savePointer('wool', 'nobody', { ...file, id: 'd2', subject: usedBy[1].eventId, matches: false });
      expect(await verification()).toBe('mismatch');
    });

    it('has rows in the sheet for events without a place and lots without a unit', async () => {
      const { rows } = await reports().read('wool', 'fsma204?tlc=ODD-NONE');
      expect(rows).toMatchObject([{ tlc: 'ODD-NONE', quantity: null, unit: null, locationName: null, previousSourceName: null }]);
    });

    it('counts a recall for the maker of the lot, and affected lots for nobody', async () => {
      const { tokenId } = await reports().wool.lots.byTlc('WC-20260410-01');
      const { preparedTx } = await reports().wool.post<{ preparedTx: PreparedTx }>(`/api/v1/nfts/${tokenId}/recall/prepare`, {
        reason: 'residues',
      });
      await new Sender(reports().world.node.url, new Wallet(reports().world.tenant('wool').admin.privateKey)).sendAndWait(preparedTx);
      await eventually('the recall', async () => (await reports().wool.lots.get(tokenId)).status === 'recalled');
      const rates = async (name: string): Promise<(number | null)[]> => {
        const { organizations } = await reports().read('wool', `suppliers/${await reports().orgIdOf('wool', name)}`);
        return [organizations[0].metrics.recallRate, organizations[0].metrics.affectedRate];
      };
      // One of two lots that scouring made; yarn and noil, fabric, jackets follow from it.
      expect(await rates('Example Scour')).toEqual([0.5, 0]);
      expect(await rates('Example Spinner')).toEqual([0, 1]);
      expect(await rates('Example Tailor')).toEqual([0, 1]);
      const { locations } = await reports().read('wool', 'inventory');
      expect(locations.find((one: Body) => one['location']?.name === 'Example Spinner').totals).toMatchObject({ lots: 2, recalledLots: 1 });
    });

    it('of a new tenant is empty, without an error', async () => {
      const { service } = reports().world;
      const options = { strict: false } as const;
      const { id } = await service.app.get(CreateTenant, options).create({ slug: 'empty', name: 'Empty', environment: 'sandbox' });
      const { text: secret } = await service.app.get(CreateApiKey, options).create(id, { name: 'reads', roles: ['AUDITOR'] }, null);
      for (const [name, rows] of Object.entries({
        documents: 'documents',
        fsma204: 'rows',
        inventory: 'locations',
        places: 'places',
        suppliers: 'organizations',
        trends: 'periods',
        yield: 'processes',
      })) {
        const answer = await fetch(`${reports().world.baseUrl}/api/v1/reports/${name}`, { headers: { 'x-api-key': secret } });
        expect(await answer.json()).toMatchObject({ report: name, tenantId: 'empty', truncated: false, nextCursor: null, [rows]: [] });
      }
    });
  });
}
