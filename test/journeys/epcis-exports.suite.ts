import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Company } from '../../apps/cli/src/demo/company.js';
import type { World } from '../harness/world.js';
import { UNTP_EVENTS, UNTP_PASSPORT } from '#interchange/testing';
import { handOversSuite } from './epcis-hand-overs.suite.js';
import { EUDR, PACT, faultsOf } from './field-formats.js';
import { type RiceTrade, codeOf } from './rice-trade.js';

type Json = Record<string, any>;

/** @param journey what the journey of EPCIS prepared, once its tests run */
export function lotExportsSuite(journey: () => { readonly world: World; readonly trade: RiceTrade; readonly key: string }): void {
  handOversSuite(journey);
  describe('of a lot in other formats', () => {
    const exported = async (tlc: string, format: string, company: Company = journey().trade.admin): Promise<Json> =>
      company.api.get<Json>(`/api/v1/nfts/${await journey().trade.tokenOf(tlc)}/exports/${format}`);

    it('are listed', async () => {
      const formats = await journey().trade.farmA.api.get<Json[]>('/api/v1/exports');
      expect(formats.map(({ name }) => name as string)).toEqual(['eudr', 'pact', 'untp-dpp', 'untp-dte']);
    });

    it('the footprint is the golden one, per bag, in the format of PACT v3', async () => {
      const document = await exported('RP262641', 'pact');
      expect(faultsOf(document, PACT)).toEqual([]);
      expect(document).toMatchObject({
        companyName: 'Example Mill',
        productNameCompany: 'Milled rice, 5 kg bag',
        productIds: expect.arrayContaining(['urn:gtin:09520123450014']),
        pcf: {
          declaredUnitOfMeasurement: 'piece',
          declaredUnitAmount: '1',
          productMassPerDeclaredUnit: '5',
          pcfExcludingBiogenicUptake: '11.875113',
          pcfIncludingBiogenicUptake: '11.875113',
          primaryDataShare: '56.44',
          geographyCountry: 'VN',
          ipccCharacterizationFactors: ['AR6'],
          crossSectoralStandards: ['ISO14067', 'ISO14083'],
          exemptedEmissionsPercent: '0',
          fossilCarbonContent: '0',
          referencePeriodStart: '2026-09-15T08:30:00.000Z',
          allocationRulesDescription: expect.stringMatching(/husk is worth less than a fifth/),
        },
      });
      expect((await exported('RM-20260920-01', 'pact'))['pcf']).toMatchObject({ declaredUnitOfMeasurement: 'kilogram' });
    });

    it('a due diligence statement has the plots of both farms and no other', async () => {
      const answer = await fetch(`${journey().world.baseUrl}/api/v1/nfts/${await journey().trade.tokenOf('RP262641')}/exports/eudr`, {
        headers: { 'x-api-key': journey().key },
      });
      expect(answer.headers.get('content-type')).toMatch(/^application\/geo\+json/);
      const text = await answer.text();
      const document = JSON.parse(text) as Json;
      expect(faultsOf(document, EUDR)).toEqual([]);
      const plots = ['RH-20260915-A1', 'RH-20260916-B1'].map((tlc) => journey().trade.stageOf(tlc).metadata['plot'] as Json);
      const geometries = (document['features'] as Json[]).map(({ geometry }) => geometry as Json);
      expect(geometries).toHaveLength(plots.length);
      for (const { geometry } of plots) expect(geometries).toContainEqual(geometry);
      expect(text).not.toMatch(/coordinates":\[*-?\d+\.\d{1,5}[,\]]/);
      expect(document['statement']).toMatchObject({
        hsCode: '1006.30',
        netMassKg: 7000,
        countriesOfProduction: ['VN'],
        producedFrom: '2026-09-15',
        producedTo: '2026-09-16',
        origins: [{ lot: 'RH-20260915-A1' }, { lot: 'RH-20260916-B1' }],
        notRecorded: ['deforestationFreeSince', 'dds'],
      });
      // The plots are for the authority and for those who may read all: the mill does not see the farms'.
      expect(await codeOf(exported('RP262641', 'eudr', journey().trade.mill))).toBe('422 plots_missing');
    });

    it('a passport and its traceability events are UNTP 0.7.0', async () => {
      const faultsBy = (schema: object, document: Json): unknown => {
        const check = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
        check(document);
        return check.errors ?? [];
      };
      const passport = await exported('RP262641', 'untp-dpp');
      expect(faultsBy(UNTP_PASSPORT, passport)).toEqual([]);
      expect(passport['issuer']).toMatchObject({ id: expect.stringMatching(/^did:web:127\.0\.0\.1%3A\d+:rice:/), name: 'Example Mill' });
      expect(passport['credentialSubject']).toMatchObject({
        id: 'https://id.gs1.org/01/09520123450014/10/RP262641',
        batchNumber: 'RP262641',
        relatedParty: [{ role: 'producer', party: { name: 'Example Mill' } }],
        countryOfProduction: { countryCode: 'VN' },
        dimensions: { weight: { value: 7000, unit: 'KGM' } },
        performanceClaim: [{ claimedPerformance: [{ measure: { value: 2.375023, unit: 'KGM' } }] }],
        materialProvenance: [{ name: 'Paddy, as harvested', originCountry: { countryCode: 'VN' }, massFraction: 1 }],
      });
      const events = await exported('RP262641', 'untp-dte');
      expect(faultsBy(UNTP_EVENTS, events)).toEqual([]);
      const history = events['credentialSubject'] as Json[];
      const labels = history.map(({ name }) => name as string);
      expect(labels.slice(0, 5)).toEqual(['Harvest paddy', 'Harvest paddy', 'Dry paddy', 'Mill paddy', expect.stringMatching(/ack/)]);
      expect(history).toHaveLength(9);
      expect(history[3]).toMatchObject({
        type: ['MakeEvent', 'LifecycleEvent'],
        inputProduct: [{ product: { name: 'Paddy, dried' }, quantity: { unit: 'KGM' } }],
      });
      expect(history.find(({ type }) => (type as string[])[0] === 'MoveEvent')).toMatchObject({
        fromFacility: { name: 'Example Mill' },
        toFacility: { name: 'Example Distributor' },
      });
      const documents = (passport['credentialSubject'].relatedDocument as Json[]).map(({ linkName }) => linkName as string);
      expect(new Set(documents)).toEqual(new Set(labels));
    });

    it('a lot that a format cannot describe is refused with the reason', async () => {
      const lot = (path: string): Promise<Json> => journey().trade.api.get(`/api/v1/nfts/${path}`);
      const harvested = await journey().trade.tokenOf('RH-20260915-A1');
      expect(await codeOf(lot(`${harvested}/exports/csv`))).toBe('404 export_format_unknown');
      expect(await codeOf(lot('999999/exports/eudr'))).toBe('404 lot_not_found');
      expect(await codeOf(lot('0/exports/eudr'))).toMatch(/^400 |^out_of_range|malformed|invalid/);
    });
  });
}
