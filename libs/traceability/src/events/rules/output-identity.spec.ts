import { describe, expect, it } from '@jest/globals';
import type { EventSubmission } from '../../contract/preparation.js';
import type { ValidationContext } from '../../process-maps/event-reading.js';
import type { ProcessMapDocument } from '../../process-maps/process-map.js';
import { contextOf, lotOf, processOf, published, templateMap, verdictFor, walletOf } from '../../testing/index.js';
import { examine } from './event.rules.js';
import { personalCodeIssues } from './output-identity.rules.js';

const MILL = walletOf('mill');
const KG = 1_000_000n;
const [RICE, OTHER] = ['09520123450014', '09520123450021'];
const SSCC = '095200000000000011';

/** The template for rice, where a second product and the milled rice have GTINs too or not. */
function mapWith(types: Readonly<Record<string, string>> = {}): ReturnType<typeof templateMap> {
  const document = structuredClone(templateMap('rice').document) as unknown as {
    assetTypes: Record<string, { gtin?: string }>;
  };
  for (const [key, gtin] of Object.entries(types)) document.assetTypes[key]!.gtin = gtin;
  return published(document as unknown as ProcessMapDocument);
}

interface Context extends Partial<ValidationContext> {
  readonly map?: ReturnType<typeof templateMap>;
}

/** Milling, whose lots have no GTIN in the template. */
function milled(metadata: object, { map = mapWith(), ...context }: Context = {}, outputTlc = 'RM-20261127-01') {
  const submission: EventSubmission = {
    ...{ processType: 'RICE_MILLING', inputTokenIds: [3n], outputTlc, outputCustodian: null, from: MILL },
    metadata: {
      ...{ eventTime: '2026-11-27T15:00:00Z', eventTimeZoneOffset: '+07:00', location: { name: 'Mill', country: 'VN' } },
      ...{ inputs: [{ tlc: 'RD-1', quantity: { value: 1000, uom: 'KGM' } }], quantity: { value: 990, uom: 'KGM' } },
      ...{ losses: [{ kind: 'dust', quantity: { value: 10, uom: 'KGM' } }], millingDegree: 'well', workOrder: 'WO-1' },
      ...metadata,
    },
  };
  const stock = { custodian: MILL, quantity: 1000n * KG, remaining: 1000n * KG, uom: 'KGM' };
  const given = contextOf({
    published: processOf(map, 'RICE_MILLING'),
    sender: { address: MILL, colleagues: new Set() },
    lots: [lotOf(3, { tlc: 'RD-1', assetType: 'RICE_PADDY_DRY', ...stock })],
    ...context,
  });
  const { issues, event } = examine(submission, given, verdictFor(submission, given));
  return {
    keys: event!.outputs.map(({ key }) => key.text),
    faults: issues
      .filter(({ severity, code }) => severity === 'error' && code !== 'required')
      .map(({ code, pointer }) => `${code} ${pointer}`),
    issues,
  };
}

const husk = (more: object) => ({ coProducts: [{ assetType: 'RICE_HUSK', tlc: 'H-1', quantity: { value: 1, uom: 'KGM' }, ...more }] });

describe('the identity of what an event makes', () => {
  it('is the code, as long as nobody states a GTIN', () => expect(milled({}).keys).toEqual(['RM-20261127-01']));

  it('has the GTIN of the event, else that of the asset type, and of each co-product its own', () => {
    expect(milled({ gtin: RICE, ...husk({ gtin: OTHER }) }).keys).toEqual([
      `https://id.gs1.org/01/${RICE}/10/RM-20261127-01`,
      `https://id.gs1.org/01/${OTHER}/10/H-1`,
    ]);
    expect(milled({}, { map: mapWith({ RICE_MILLED: OTHER }) }).keys).toEqual([`https://id.gs1.org/01/${OTHER}/10/RM-20261127-01`]);
  });

  it('of an item is its serial number, and the lot number stays its code', () => {
    const { keys, faults } = milled({ gtin: OTHER, serial: 'S9' });
    expect([keys, faults]).toEqual([[`https://id.gs1.org/01/${OTHER}/21/S9`], []]);
  });

  it('lets two products share a lot number, and one product not', () => {
    const takenKeys = new Set([`https://id.gs1.org/01/${OTHER}/10/RM-20261127-01`]);
    expect(milled({}, { takenKeys }).faults).toEqual([]);
    expect(milled({ gtin: OTHER }, { takenKeys }).faults).toEqual(['tlc_taken /outputTlc']);
    expect(milled({ gtin: OTHER, ...husk({ tlc: 'RM-20261127-01' }) }).faults).toEqual([]);
    expect(milled(husk({ tlc: 'RM-20261127-01' })).faults).toEqual(['duplicate_tlc /metadata/coProducts/0/tlc']);
  });

  it.each<[string, object, Context, string]>([
    ['the GTIN of another asset type', { gtin: RICE }, { map: mapWith({ RICE_MILLED: OTHER }) }, 'gtin_mismatch /metadata/gtin'],
    ['the GTIN of another asset type, where its own has none', { gtin: RICE }, {}, 'gtin_mismatch /metadata/gtin'],
    ['a GTIN that is not the map’s', { gtin: '09520123450038' }, { map: mapWith({ RICE_MILLED: OTHER }) }, 'gtin_mismatch /metadata/gtin'],
    ['a wrong check digit', { gtin: '09520123450022' }, {}, 'wrong_check_digit /metadata/gtin'],
    ['a wrong check digit of a co-product', husk({ gtin: '09520123450022' }), {}, 'wrong_check_digit /metadata/coProducts/0/gtin'],
    ['another’s GTIN for a co-product', husk({ gtin: RICE }), {}, 'gtin_mismatch /metadata/coProducts/0/gtin'],
    ['a serial number without a GTIN', { serial: 'S9' }, {}, 'serial_without_gtin /metadata/serial'],
    ['a serial number that is too long', { gtin: OTHER, serial: 'S'.repeat(21) }, {}, 'bad_serial /metadata/serial'],
    [
      'a serial number of several pieces',
      { gtin: OTHER, serial: 'S9', quantity: { value: 2, uom: 'H87' } },
      {},
      'serial_of_several /metadata/serial',
    ],
  ])('refuses %s', (_, metadata, given, fault) => {
    expect(milled(metadata, given).faults).toContain(fault);
  });

  it('refuses a Digital Link for a code', () =>
    expect(milled({}, {}, `https://id.gs1.org/01/${OTHER}/10/A`).faults).toContain('tlc_is_link /outputTlc'));
});

describe('the identity of a container', () => {
  const packed = (metadata: object, outputTlc: string) => {
    const submission: EventSubmission = {
      ...{ processType: 'RICE_PALLETIZING', inputTokenIds: [3n], outputTlc, outputCustodian: null, from: MILL },
      metadata: {
        ...{ eventTime: '2026-11-27T15:00:00Z', eventTimeZoneOffset: '+07:00', location: { name: 'Mill', country: 'VN' } },
        ...metadata,
      },
    };
    const given = contextOf({
      published: processOf(templateMap('rice'), 'RICE_PALLETIZING'),
      sender: { address: MILL, colleagues: new Set() },
      lots: [lotOf(3, { assetType: 'RICE_PACKED_5KG', custodian: MILL, quantity: KG, remaining: KG, uom: 'H87' })],
    });
    const { issues, event } = examine(submission, given, verdictFor(submission, given));
    return {
      key: event!.outputs[0]!.key.text,
      faults: issues
        .filter(({ severity, code }) => severity === 'error' && code !== 'required')
        .map(({ code, pointer }) => `${code} ${pointer}`),
    };
  };

  it('is its SSCC', () => expect(packed({ sscc: SSCC }, SSCC)).toEqual({ key: `https://id.gs1.org/00/${SSCC}`, faults: [] }));

  it.each<[string, object, string, string]>([
    ['a lot number with an SSCC', { sscc: SSCC }, 'PALLET-1', 'sscc_with_lot /outputTlc'],
    ['another SSCC', { sscc: SSCC }, '095200000000000028', 'sscc_mismatch /outputTlc'],
    ['a GTIN with an SSCC', { sscc: SSCC, gtin: OTHER }, SSCC, 'sscc_with_gtin /metadata/gtin'],
    ['a serial number with an SSCC', { sscc: SSCC, serial: '1' }, SSCC, 'sscc_with_serial /metadata/serial'],
  ])('refuses %s', (_, metadata, outputTlc, fault) => expect(packed(metadata, outputTlc).faults).toContain(fault));
});

describe('an input that is named by its code', () => {
  const stock = { assetType: 'RICE_PADDY_DRY', custodian: MILL, quantity: 1000n * KG, remaining: 1000n * KG, uom: 'KGM' };
  const lots = [lotOf(3, { tlc: 'RD-1', gtin: OTHER, ...stock }), lotOf(4, { tlc: 'RD-1', ...stock })];
  const named = (...names: object[]) => {
    const inputs = names.map((name) => ({ ...name, quantity: { value: 1, uom: 'KGM' } }));
    const submission: EventSubmission = {
      ...{ processType: 'RICE_MILLING', inputTokenIds: [3n, 4n], outputTlc: 'RM-20261127-01', outputCustodian: null, from: MILL },
      metadata: { inputs },
    };
    const given = contextOf({ published: processOf(templateMap('rice'), 'RICE_MILLING'), lots });
    return examine(submission, given, null)
      .issues.map(({ code, pointer }) => `${code} ${pointer}`)
      .filter((line) => line.includes('/inputs/'));
  };

  it('is ambiguous where several lots among the inputs bear it', () =>
    expect(named({ tlc: 'RD-1' }, { tokenId: 4 })).toEqual(['tlc_ambiguous /metadata/inputs/0/tlc']));
  it('is not with its GTIN, its Digital Link or its number', () => {
    expect(named({ tlc: 'RD-1', gtin: OTHER }, { tokenId: 4, tlc: 'RD-1' })).toEqual([]);
    expect(named({ tlc: `https://id.gs1.org/01/${OTHER}/10/RD-1` }, { tokenId: 4 })).toEqual([]);
  });
  it('is a mismatch where it is the code of another lot than the number', () =>
    expect(named({ tokenId: 3, tlc: 'RD-1', gtin: RICE }, { tokenId: 4 })).toEqual(['input_mismatch /metadata/inputs/0/tlc']));
});

describe('a code that looks like a person’s', () => {
  const of = (tlc: string, serial: string | null = null): string[] =>
    personalCodeIssues({
      tlc,
      serial,
      gtin: null,
      assetType: 'X',
      quantity: null,
      pointer: '/outputTlc',
      gtinPointer: '',
      serialPointer: '/s',
    }).map(({ code, severity, pointer }) => `${severity} ${code} ${pointer}`);

  it.each(['farmer@example.org', '+84 90 123 45 67', '+84901234567', '0901 234 567', '(090) 123-4567'])('is warned about: %s', (code) => {
    expect(of(code)).toEqual(['warning looks_personal /outputTlc']);
    expect(of('LOT-1', code)).toEqual(['warning looks_personal /s']);
  });

  it.each(['RH-20260915-A1', '095200000000000011', '09520123450014', '20260915-01', 'L+84', 'A@1', '0-1-2', '84901234567'])(
    'is not: %s',
    (code) => {
      expect(of(code)).toEqual([]);
    },
  );
});
