import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { BIZ_STEPS, DISPOSITIONS, TRANSACTION_TYPES } from '../epcis/cbv.js';
import { documentFaults, eventFaults, isEpcisContext } from './conformance.js';
import { isTime } from './faults.js';

const event = {
  type: 'ObjectEvent',
  eventTime: '2026-03-04T11:00:30+01:00',
  eventTimeZoneOffset: '+01:00',
  action: 'ADD',
  quantityList: [{ epcClass: 'urn:epc:class:lgtin:4054739.099914.1', quantity: 5, uom: 'KGM' }],
};
/** A member that is set to undefined is one that is not there. */
const pointers = (change: object): string[] => {
  const members = Object.fromEntries(Object.entries({ ...event, ...change }).filter(([, value]) => value !== undefined));
  return eventFaults(members, '').map(({ pointer }) => pointer);
};

describe('conformance to EPCIS 2.0', () => {
  it('knows as many words as the standard has', () => {
    expect([BIZ_STEPS.size, DISPOSITIONS.size, TRANSACTION_TYPES.size]).toEqual([41, 33, 13]);
  });

  it('goes down only so far, since what follows goes down as far as it goes', () => {
    const nested = (levels: number): object => ({
      'x:extension': JSON.parse('{"x:in":'.repeat(levels) + '1' + '}'.repeat(levels)) as object,
    });
    expect(pointers(nested(60))).toEqual([]);
    expect(pointers(nested(100_000))).toEqual(['']);
  });

  it('takes only so many values, in one place or spread, since each is hashed and mapped before its size is known', () => {
    const members = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x:k${i}`, i]));
    expect(pointers({ 'x:extension': members(15_000) })).toEqual([]);
    expect(pointers({ 'x:extension': members(25_000) })).toEqual(['']);
    expect(pointers({ 'x:extension': Array.from({ length: 30 }, () => members(1_000)) })).toEqual(['']);
  });

  it('takes only so much text, and so many items of each list', () => {
    const many = (count: number, item: object): object[] => Array.from({ length: count }, () => item);
    expect(pointers({ 'x:extension': 'x'.repeat(200_000) })).toEqual([]);
    expect(pointers({ 'x:extension': ['x'.repeat(200_000), 'y'.repeat(100_000)] })).toEqual(['']);
    for (const [list, item] of Object.entries({
      bizTransactionList: { bizTransaction: 'x:1' },
      sourceList: { type: 'location', source: 'x:1' },
      destinationList: { type: 'location', destination: 'x:1' },
    })) {
      expect(pointers({ [list]: many(1_000, item) })).toEqual([]);
      expect(pointers({ [list]: many(1_001, item) })).toEqual([`/${list}`]);
    }
    expect(pointers({ certificationInfo: Array.from({ length: 1_001 }, () => 'x:1') })).toEqual(['/certificationInfo']);
  });

  const terms = (count: number, text = 'x:'): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, `${text}${i}`]));
  it.each<[string, unknown, string[]]>([
    ['a hundred prefixes', terms(100), []],
    ['more prefixes', terms(101), ['/@context too_many']],
    ['more prefixes in one of several', ['x:1', terms(101)], ['/@context/1 too_many']],
    ['twenty contexts', Array.from({ length: 20 }, (_, i) => `x:${i}`), []],
    ['more contexts', Array.from({ length: 21 }, (_, i) => `x:${i}`), ['/@context too_many']],
    ['long addresses', terms(100, 'x'.repeat(200)), ['/@context too_large']],
    ['two megabytes in one term', { p: { '@id': 'x'.repeat(2_000_000) } }, ['/@context too_large']],
  ])('takes a context of an event or a document with %s, or refuses it', (_, context, expected) => {
    const coded = (faults: readonly { pointer: string; code: string }[]): string[] =>
      faults.map(({ pointer, code }) => `${pointer} ${code}`);
    expect(coded(eventFaults({ ...event, '@context': context }, '')).filter((one) => one !== ' too_large')).toEqual(expected);
    const around = { type: 'EPCISDocument', schemaVersion: '2.0', creationDate: '2026-03-04T11:00:30Z', epcisBody: { eventList: [] } };
    const epcis = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
    const contexts = Array.isArray(context) ? [...context.slice(1), epcis] : [epcis, context];
    expect(coded(documentFaults({ ...around, '@context': contexts })).map((one) => one.split(' ')[1])).toEqual(
      expected.map((one) => one.split(' ')[1]),
    );
  });

  it.each<[object, string[]]>([
    [{}, []],
    [{ type: 'ShippingEvent' }, ['/type']],
    [{ eventTime: '2026-03-04T11:00:30' }, ['/eventTime']],
    [{ eventTime: '2026-02-30T11:00:30Z' }, ['/eventTime']],
    [{ eventTimeZoneOffset: 'Z' }, ['/eventTimeZoneOffset']],
    [{ eventTimeZoneOffset: undefined }, ['/eventTimeZoneOffset']],
    [{ action: undefined }, ['/action']],
    [{ action: 'CREATE' }, ['/action']],
    [{ bizStep: 'transforming' }, ['/bizStep']],
    [{ bizStep: 'urn:epcglobal:cbv:bizstep:shipping' }, []],
    [{ bizStep: 'https://ref.gs1.org/cbv/BizStep-shipping' }, []],
    [{ bizStep: 'https://ref.gs1.org/cbv/BizStep-transforming' }, ['/bizStep']],
    [{ bizStep: 'https://ours.example/steps/blending' }, []],
    [{ disposition: 'in_transport' }, ['/disposition']],
    [{ quantityList: undefined }, ['']],
    [{ quantityList: [{ epcClass: 'lot 1' }] }, ['/quantityList/0/epcClass']],
    [{ quantityList: [{ epcClass: 'x:1', quantity: '5' }] }, ['/quantityList/0/quantity']],
    [{ quantityList: [{ epcClass: 'x:1', quantity: 5, uom: 'kg' }] }, ['/quantityList/0/uom']],
    [{ quantityList: [{ epcClass: 'x:1', uom: 'KGM' }] }, ['/quantityList/0/quantity']],
    [{ sourceList: [{ type: 'place', source: 'x:1' }] }, ['/sourceList/0/type']],
    [{ sourceList: [{ source: 'x:1' }] }, ['/sourceList/0/type']],
    [{ bizTransactionList: [{ bizTransaction: 'x:1' }] }, []],
    [{ ilmd: { materialType: 'soil' } }, ['/ilmd/materialType']],
    [{ ilmd: { 'cbvmda:lotNumber': '1' } }, []],
    [{ action: 'OBSERVE', ilmd: { 'cbvmda:lotNumber': '1' } }, []],
    [{ id: 'urn:uuid:1' }, []],
    [{ id: 'one' }, ['/id']],
    [{ sourceList: { type: 'location', source: 'x:1' } }, []],
    [{ sourceList: 'x:1' }, ['/sourceList']],
    [{ sensorElementList: [{ sensorReport: [{ exception: 'ALARM_CONDITION', bizRules: 'x:1' }] }] }, []],
    [{ remark: 'none' }, ['/remark']],
    [{ 'a/b': 'none' }, ['/a~1b']],
    [{ 'x:remark': 'fine' }, []],
    [{ readPoint: 'x:1' }, ['/readPoint']],
    [{ readPoint: { id: 'x:1', name: 'here' } }, ['/readPoint/name']],
    [{ persistentDisposition: { set: ['recalled'] } }, []],
    [{ persistentDisposition: { set: ['called back'] } }, ['/persistentDisposition/set/0']],
    [
      {
        type: 'AggregationEvent',
        quantityList: undefined,
        parentID: 'x:1',
        childEPCs: ['x:2'],
        persistentDisposition: { set: ['recalled'] },
      },
      [],
    ],
    [{ type: 'AggregationEvent', quantityList: undefined, childEPCs: ['x:2'] }, ['/parentID']],
    [{ type: 'AggregationEvent', quantityList: undefined, action: 'DELETE', parentID: 'x:1' }, []],
    [{ type: 'TransformationEvent', quantityList: undefined, action: undefined, inputEPCList: ['x:1'], outputEPCList: ['x:2'] }, []],
    [{ type: 'TransformationEvent', quantityList: undefined, inputEPCList: ['x:1'], outputEPCList: ['x:2'] }, ['/action']],
    [{ type: 'TransformationEvent', quantityList: undefined, action: undefined, inputEPCList: ['x:1'] }, ['']],
    [{ sensorElementList: [{ type: 'epcis:SensorElement', sensorReport: [{ type: 'Temperature', value: 4 }] }] }, []],
    [{ sensorElementList: [{ sensorReport: [{ value: 4 }] }] }, ['/sensorElementList/0/sensorReport/0/type']],
    [
      {
        sensorElementList: [
          { sensorReport: [{ type: 'Temperature', value: '4', booleanValue: 'true', hexBinaryValue: 'xyz', uriValue: 'a b' }] },
        ],
      },
      ['value', 'uriValue', 'booleanValue', 'hexBinaryValue'].map((name) => `/sensorElementList/0/sensorReport/0/${name}`),
    ],
    [
      { sensorElementList: [{ sensorMetadata: { startTime: 'today' }, sensorReport: [{ type: 'Temperature', time: '2026-03-04' }] }] },
      ['/sensorElementList/0/sensorMetadata/startTime', '/sensorElementList/0/sensorReport/0/time'],
    ],
    [{ certificationInfo: 'https://council.example/certificate/1' }, []],
    [{ certificationInfo: ['https://council.example/certificate/1', { name: 'Organic' }] }, ['/certificationInfo/1']],
    [{ certificationInfo: { name: 'Organic' } }, ['/certificationInfo']],
    [{ errorDeclaration: { reason: 'mistake' } }, ['/errorDeclaration/declarationTime', '/errorDeclaration/reason']],
    [{ errorDeclaration: { declarationTime: '2026-03-05T00:00:00Z', reason: 'did_not_occur', correctiveEventIDs: ['urn:uuid:1'] } }, []],
  ])('%j: faults at %j', (change, at) => {
    expect(pointers(change)).toEqual(at);
  });

  it.each([
    [{}, ['/@context', '/type', '/epcisBody']],
    [{ epcisBody: {} }, ['/@context', '/type', '/epcisBody/eventList']],
    [{ schemaVersion: '1.2', creationDate: 'today', epcisBody: { event: {} } }, ['/@context', '/type', '/schemaVersion', '/creationDate']],
    [{ type: 'EPCISQueryDocument', epcisBody: { eventList: [] } }, ['/@context', '/epcisBody/queryResults/resultsBody']],
    [{ type: 'EPCISQueryDocument', epcisBody: { queryResults: { resultsBody: { eventList: [] } } } }, ['/@context']],
  ])('of a document: %j', (document, at) => {
    expect(documentFaults(document).map(({ pointer }) => pointer)).toEqual(at);
  });

  it.each([
    ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', true],
    ['https://ref.gs1.org/standards/epcis/epcis-context.jsonld', true],
    ['https://gs1.github.io/EPCIS/epcis-context-simple.jsonld', true],
    ['https://id.gs1.org/epcis-context.jsonld', true],
    ['https://ref.gs1.org.evil.example/standards/epcis/', false],
    ['https://ref.gs1.org/voc/', false],
  ])('the context %s is that of EPCIS: %s', (address, isOne) => {
    expect(isEpcisContext(address)).toBe(isOne);
  });

  it('has times with an offset only', () => {
    expect(['2026-03-04T11:00:30.123Z', '2026-03-04T11:00:30+14:00'].every(isTime)).toBe(true);
    expect(['2026-03-04', '22-07-2026', '2026-03-04T25:00:00Z', '2026-03-04T11:00:30+15:00', 7, null].some(isTime)).toBe(false);
  });
});

const given = new URL('../../../../../../shared/data/epcis/', import.meta.url);
// The documents of the folder itself; its sub-folders are examples of other forms.
const documents = existsSync(given)
  ? readdirSync(given, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'cbv2-event-hash-reference.json')
      .map(({ name }) => name)
  : [];

(documents.length > 0 ? describe : describe.skip)('documents of the field', () => {
  const faultsOf = (name: string): string[] => {
    const document = JSON.parse(readFileSync(new URL(name, given), 'utf8')) as { epcisBody: { eventList: unknown[] } };
    const inEvents = document.epcisBody.eventList.flatMap((one, i) => eventFaults(one, `/epcisBody/eventList/${i}`));
    return [...documentFaults(document), ...inEvents].map(({ pointer }) => pointer);
  };

  it.each(documents.filter((name) => !name.includes('invalid')))('%s conforms', (name) => {
    expect(faultsOf(name)).toEqual([]);
  });

  it('tells each fault of the invalid one once', () => {
    expect(faultsOf('openepcis-invalid-Combination_of_multiple_invalid_fields.json')).toEqual(
      ['/0/bizStep', '/1/disposition', '/2/sourceList/0/type', '/3/ilmd/materialType', '/4/eventTime', '/4/action'].map(
        (at) => `/epcisBody/eventList${at}`,
      ),
    );
  });
});
