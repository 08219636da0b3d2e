import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { eventHashId, preHash } from './event-hash.js';

const vector = new URL('../../../../../../shared/data/epcis/cbv2-event-hash-reference.json', import.meta.url);
const context = ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', { x: 'https://x.example/' }];
const event = {
  type: 'ObjectEvent',
  eventTime: '2026-03-04T11:00:30+01:00',
  eventTimeZoneOffset: '+01:00',
  action: 'OBSERVE',
  bizStep: 'shipping',
  epcList: ['urn:epc:id:sscc:4012345.0000000333', 'https://id.gs1.org/00/040123450000001112'],
  sourceList: [
    { type: 'possessing_party', source: 'urn:epc:id:pgln:4000001.00012' },
    { type: 'owning_party', source: 'urn:epc:id:pgln:4000001.00012' },
  ],
  bizTransactionList: [{ type: 'inv', bizTransaction: 'urn:epcglobal:cbv:bt:5200001000008:RE1099' }],
  'x:b': { 'x:c': [3, 1] },
};

describe('the event hash of CBV 2.0', () => {
  (existsSync(vector) ? it : it.skip)('is that of the reference vector', () => {
    const reference = JSON.parse(readFileSync(vector, 'utf8')) as {
      readonly document: { readonly '@context': unknown; readonly epcisBody: { readonly eventList: readonly Record<string, unknown>[] } };
      readonly preHash: string;
      readonly eventID: string;
    };
    const [stated] = reference.document.epcisBody.eventList;
    expect(preHash(stated!, reference.document['@context'])).toBe(reference.preHash);
    expect(eventHashId(stated!, reference.document['@context'])).toBe(reference.eventID);
  });

  it('writes elements in the order of the standard, values of a list sorted, words and keys in full', () => {
    expect(preHash(event, context)).toBe(
      [
        'eventType=ObjectEvent',
        'eventTime=2026-03-04T10:00:30.000Z',
        'eventTimeZoneOffset=+01:00',
        'epcListepc=https://id.gs1.org/00/040123450000001112epc=https://id.gs1.org/00/040123450000003338',
        'action=OBSERVE',
        'bizStep=https://ref.gs1.org/cbv/BizStep-shipping',
        'bizTransactionListbizTransaction=urn:epcglobal:cbv:bt:5200001000008:RE1099type=https://ref.gs1.org/cbv/BTT-inv',
        'sourceListsource=https://id.gs1.org/417/4000001000128type=https://ref.gs1.org/cbv/SDT-owning_party',
        'source=https://id.gs1.org/417/4000001000128type=https://ref.gs1.org/cbv/SDT-possessing_party',
        '{https://x.example/}b{https://x.example/}c=1{https://x.example/}c=3',
      ].join(''),
    );
  });

  it.each([
    ['its id', { eventID: 'urn:uuid:1' }],
    ['when it was recorded', { recordTime: '2026-03-05T00:00:00Z' }],
    ['an error declaration', { errorDeclaration: { declarationTime: '2026-03-05T00:00:00Z' } }],
    ['the spelling of a word', { bizStep: 'urn:epcglobal:cbv:bizstep:shipping' }],
    ['the spelling of the instant', { eventTime: '2026-03-04T10:00:30.000Z' }],
  ])('does not depend on %s', (_, change) => {
    expect(eventHashId({ ...event, ...change }, context)).toBe(eventHashId(event, context));
  });

  const sensed = (report: object, more: object = {}): string =>
    preHash({ ...event, sensorElementList: [{ sensorReport: [report], ...more }] }, context);

  it.each([
    ['a measurement', { type: 'gs1:Temperature' }, { type: 'Temperature' }],
    ['a measurement in full', { type: 'https://gs1.org/voc/Temperature' }, { type: 'https://ref.gs1.org/voc/Temperature' }],
    ['an exception', { exception: 'ALARM_CONDITION' }, { exception: 'gs1:ALARM_CONDITION' }],
    ['a component', { component: 'latitude' }, { component: 'cbv:Comp-latitude' }],
    ['a component in full', { component: 'x' }, { component: 'https://ref.gs1.org/cbv/Comp-x' }],
    ['a time', { time: '2026-03-04T10:00:00.1415Z' }, { time: '2026-03-04T11:00:00.142+01:00' }],
  ])('does not depend on the spelling of %s of a sensor', (_, one, other) => {
    expect(sensed({ type: 'x:Own', value: 1, ...one })).toBe(sensed({ type: 'x:Own', value: 1, ...other }));
  });

  it('writes words of a sensor in full and words of others as they are', () => {
    const text = sensed(
      { type: 'Temperature', exception: 'gs1:ERROR_CONDITION', component: 'example:x', value: 26 },
      { type: 'epcis:SensorElement', sensorMetadata: { time: '2026-03-04T10:00:00Z' } },
    );
    expect(text).toContain(
      [
        'sensorElementsensorMetadatatime=2026-03-04T10:00:00.000Z',
        'sensorReporttype=https://ref.gs1.org/voc/Temperatureexception=https://ref.gs1.org/voc/ERROR_CONDITIONvalue=26component=example:x',
      ].join(''),
    );
    expect(text).not.toContain('SensorElement}');
    expect(text).not.toContain('epcis:SensorElement');
  });

  it.each([
    ['2026-03-04T10:00:30.1414Z', '2026-03-04T10:00:30.141Z'],
    ['2026-03-04T10:00:30.1415Z', '2026-03-04T10:00:30.142Z'],
    ['2026-03-04T10:00:59.9996Z', '2026-03-04T10:01:00.000Z'],
    ['2026-03-04T10:00:30.1Z', '2026-03-04T10:00:30.100Z'],
  ])('rounds %s to the millisecond: %s', (eventTime, written) => {
    expect(preHash({ ...event, eventTime }, context)).toContain(`eventTime=${written}`);
  });

  it('reads keys by the names that Digital Link had before', () => {
    const named = 'https://example.com/gtin/09520123450014/lot/L-1';
    expect(preHash({ ...event, epcList: [named] }, context)).toContain('epc=https://id.gs1.org/01/09520123450014/10/L-1');
    expect(preHash({ ...event, epcList: ['https://example.com/sscc/340123450000000000'] }, context)).toContain('/00/340123450000000000');
  });

  it('depends on what happened', () => {
    expect(eventHashId({ ...event, eventTime: '2026-03-04T11:00:31+01:00' }, context)).not.toBe(eventHashId(event, context));
  });
});
