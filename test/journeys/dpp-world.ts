import type { TraceabilityClient } from '#client';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import type { World } from '../harness/world.js';
import { type Json, administrator } from './rice-trade.js';

const VOCABULARY = 'https://ref.openepcis.io/extensions/eu/battery/';
export const GTIN = '09520123450045';
export const MODEL_GTIN = '09520123450052';

const process = (label: string, output: string, visibility: object): object => ({
  label,
  kind: 'creation',
  containmentMode: 0,
  epcis: { type: 'ObjectEvent', action: 'ADD', bizStep: 'commissioning', disposition: 'active' },
  inputs: { min: 0, max: 0, assetTypes: [], consumption: 'none' },
  outputs: { min: 1, max: 1, assetType: output },
  metadataSchema: { type: 'object' },
  requiredRoles: ['OPERATOR'],
  visibility,
});

/** Sections that are named by their specification, as Eclipse BaSyx has them. */
const SECTIONS = [
  'https://admin-shell-io/idta/digitalproductpassport/Nameplate/1',
  'https://admin-shell.io/idta/CarbonFootprint/CarbonFootprint/1/0',
  'https://admin-shell-io/idta/digitalproductpassport/HandoverDocumentation/2',
  'https://admin-shell-io/idta/digitalproductpassport/Circularity/1',
].map((id, i) => ({ id, path: `/sections/${i}` }));

/** Batteries that have passports one by one, and chargers that have one for all of them. */
export const CELL_MAP = {
  formatVersion: '1.0',
  key: 'cells',
  name: 'Cells',
  version: '1.0.0',
  chainOfCustody: 'none',
  assetTypes: {
    CELL_PACK: {
      ...{ name: 'Battery pack', category: 'finished_good', uom: 'H87', gtin: GTIN, passport: true, granularity: 'item' },
      contentSpecificationIds: [VOCABULARY],
      dataElements: [
        { id: 'batteryModelIdentifier', dictionaryReference: `${VOCABULARY}batteryModelIdentifier`, value: 'PACK-1' },
        { id: 'stateOfHealth', dictionaryReference: `${VOCABULARY}stateOfHealth`, path: '/health', valueDataType: 'xsd:decimal' },
        {
          id: 'chemistry',
          dictionaryReference: `${VOCABULARY}hasBatteryChemistry`,
          path: '/chemistry',
          elements: [
            { id: 'name', path: '/name', language: 'en', dictionaryReference: 'https://schema.org/name' },
            { id: 'shares', path: '/shares' },
          ],
        },
        { id: 'secret', path: '/secret' },
        { id: 'repair', path: '/repair' },
        {
          id: 'tests',
          path: '/tests',
          elements: [
            { id: 'report', path: '/report' },
            { id: 'laboratory', path: '/laboratory' },
          ],
        },
        ...SECTIONS,
      ],
    },
    CELL_CHARGER: {
      ...{ name: 'Charger', category: 'finished_good', uom: 'H87', gtin: MODEL_GTIN, passport: true, granularity: 'model' },
      dataElements: [
        { id: 'power', value: 11 },
        { id: 'colour', path: '/colour' },
      ],
    },
  },
  processes: {
    CELL_MAKING: process('Make', 'CELL_PACK', {
      public: ['/health', '/chemistry', '/sections', '/location/country', '/location/gln'],
      legitimate_interest: ['/repair', '/tests/laboratory'],
      authority: ['/tests/report'],
      personal: ['/crew'],
    }),
    CELL_CHARGERS: process('Make chargers', 'CELL_CHARGER', { public: ['/colour'] }),
  },
};

/** A company that makes batteries, in the rice tenant. */
export class CellMaker {
  private constructor(
    readonly world: World,
    readonly admin: TraceabilityClient,
    readonly mill: Company,
    /** The administrator with the wallet. */
    readonly wallet: Company,
  ) {}

  static async of(world: World): Promise<CellMaker> {
    const admin = await world.admin('rice');
    await admin.post('/api/v1/process-maps', CELL_MAP);
    await admin.request('PATCH', '/api/v1/passport-settings', { enabled: true });
    return new CellMaker(world, admin, await world.company('rice', 'mill'), await administrator(world, 'rice'));
  }

  /** @returns the id of the event */
  async make(serial: string, more: object = {}): Promise<string> {
    const metadata = {
      ...{ eventTime: new Date(Date.now() - 60_000).toISOString(), quantity: { value: 1, uom: 'H87' }, gtin: GTIN, serial },
      location: { country: 'VN', gln: '9520000100018', name: 'Hall of a person' },
      ...{ health: 98.5, chemistry: { name: 'LFP', shares: [0.5, 0.25] }, secret: 'SECRET-VALUE', ...more },
      ...{ repair: 'REPAIR-VALUE', tests: { report: 'REPORT-VALUE', laboratory: 'LABORATORY-VALUE' } },
    };
    return this.record({ processType: 'CELL_MAKING', outputTlc: serial, metadata });
  }

  async record(event: object): Promise<string> {
    const prepared = await this.mill.api.post<Json>('/api/v1/events/prepare', event);
    await this.mill.land(prepared['preparedTx'], 'test');
    return prepared['eventId'] as string;
  }

  /** The passport of the item, once it is issued. */
  passportOf(tlc: string): Promise<Json> {
    return eventually(`the passport of ${tlc}`, async () => {
      const { data } = await this.admin.get<{ data: Json[] }>('/api/v1/passports?limit=100');
      return data.find((one) => one['tlc'] === tlc);
    });
  }

  versionsOf(id: string): Promise<Json[]> {
    return this.admin.get<{ data: Json[] }>(`/api/v1/passports/${id}/versions?limit=100`).then(({ data }) => data);
  }
}
