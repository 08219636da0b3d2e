import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
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
    const [told] = reference.document.epcisBody.eventList;
    expect(preHash(told!, reference.document['@context'])).toBe(reference.preHash);
    expect(eventHashId(told!, reference.document['@context'])).toBe(reference.eventID);
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

  it('depends on what happened', () => {
    expect(eventHashId({ ...event, eventTime: '2026-03-04T11:00:31+01:00' }, context)).not.toBe(eventHashId(event, context));
  });
});
