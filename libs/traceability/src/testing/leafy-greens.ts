import type { Scenario } from './scenario.js';

const farm = { name: 'Example Farm', country: 'US', gln: '9520000100018' };
const packer = { name: 'Example Packer', country: 'US', gln: '9520000100025' };
const kitchen = { name: 'Example Kitchen', country: 'US', gln: '9520000100032' };
const at = (day: string, location: object) => ({ eventTime: `2026-11-${day}T12:00:00Z`, eventTimeZoneOffset: '-08:00', location });
const kg = (value: number) => ({ value, uom: 'KGM' });
const document = (type: string) => [{ type, number: '1' }];
const romaine = {
  commodity: 'Romaine lettuce',
  fieldName: 'North 7',
  harvester: { name: 'Example Crew', phone: '+00 000 000' },
  harvestedOn: '2026-11-02',
};
const hearts = { gtin: '09520323450012', productDescription: 'Romaine hearts, case of 24' };

/** The CTEs of 21 CFR 1 Subpart S for produce, in order: one lot of romaine from the field into salad bags. */
export const leafyGreens: Scenario = {
  map: 'leafy-greens',
  actors: { packer: 'Example Packer', kitchen: 'Example Kitchen' },
  steps: [
    {
      ...{ processType: 'GREENS_HARVESTING', actor: 'packer', inputTlcs: [], outputTlc: 'H-20261102-N7' },
      metadata: { ...at('02', farm), ...romaine, quantity: kg(1000), recipient: packer, documents: document('FIELD_TAG') },
    },
    {
      ...{ processType: 'GREENS_COOLING', actor: 'packer', inputTlcs: ['H-20261102-N7'] },
      metadata: {
        ...at('03', packer),
        ...{
          commodity: romaine.commodity,
          quantity: kg(1000),
          cooledOn: '2026-11-03',
          growingFarm: farm,
          recipient: packer,
          documents: document('COOLER_LOG'),
        },
      },
    },
    {
      ...{ processType: 'GREENS_INITIAL_PACKING', actor: 'packer', inputTlcs: ['H-20261102-N7'], outputTlc: 'P26308L1' },
      metadata: {
        ...{ ...at('04', packer), ...romaine, ...hearts, receivedOn: '2026-11-03', quantityReceived: kg(1000), growingFarm: farm },
        ...{ inputs: [{ tlc: 'H-20261102-N7', quantity: kg(1000) }], quantity: { value: 90, uom: 'XCS' } },
        ...{ losses: [{ kind: 'trim', quantity: kg(100) }], packedOn: '2026-11-04', documents: document('BATCH_LOG') },
      },
    },
    {
      ...{ processType: 'GREENS_SHIPPING', actor: 'packer', inputTlcs: ['P26308L1'], custody: { action: 'offer', to: 'kitchen' } },
      metadata: {
        ...at('05', packer),
        ...hearts,
        recipient: kitchen,
        tlcSource: packer,
        shippedOn: '2026-11-05',
        quantity: { value: 90, uom: 'XCS' },
        documents: document('BILL_OF_LADING'),
      },
    },
    {
      ...{ processType: 'GREENS_RECEIVING', actor: 'kitchen', inputTlcs: ['P26308L1'], custody: { action: 'accept' } },
      metadata: {
        ...at('06', kitchen),
        ...hearts,
        source: packer,
        tlcSource: packer,
        receivedOn: '2026-11-06',
        quantity: { value: 90, uom: 'XCS' },
        documents: document('BILL_OF_LADING'),
      },
    },
    {
      ...{ processType: 'GREENS_TRANSFORMATION', actor: 'kitchen', inputTlcs: ['P26308L1'], outputTlc: 'S26311A' },
      metadata: {
        ...at('07', kitchen),
        ...{ gtin: '09520323450029', productDescription: 'Romaine salad, 250 g', completedOn: '2026-11-07', bestBefore: '2026-11-30' },
        ...{ inputs: [{ tlc: 'P26308L1', quantity: { value: 90, uom: 'XCS' } }], quantity: { value: 3000, uom: 'H87' } },
        ...{ losses: [{ kind: 'trim', quantity: kg(150) }], documents: document('BATCH_LOG') },
      },
    },
  ],
};
