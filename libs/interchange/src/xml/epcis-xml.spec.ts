import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#kernel';
import { eventHashId } from '../epcis/event-hash.js';
import type { Json } from '../epcis/json.js';
import { documentXml } from './epcis-xml.js';
import { readEpcisXml } from './read-epcis-xml.js';

const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';

/** Every member of an event that both versions know. */
const parts = {
  times: '<eventTime>2026-04-04T20:33:31.116-06:00</eventTime><eventTimeZoneOffset>-06:00</eventTimeZoneOffset>',
  base: `<eventID>urn:uuid:404d95fc-9457-4a51-bd6a-0bba133845a8</eventID>
    <errorDeclaration><declarationTime>2026-05-15T00:00:00+01:00</declarationTime><reason>urn:epcglobal:cbv:er:incorrect_data</reason>
      <correctiveEventIDs><correctiveEventID>urn:uuid:fd338495-0e6d-41dd-afee-a862ecd32518</correctiveEventID></correctiveEventIDs>
      <ext:why>typing error</ext:why></errorDeclaration>`,
  what: `<epcList><epc>urn:epc:id:sgtin:0614141.107346.2018</epc><epc> urn:epc:id:sgtin:0614141.107346.2019 </epc></epcList><action>ADD</action>
    <bizStep>urn:epcglobal:cbv:bizstep:commissioning</bizStep><disposition>urn:epcglobal:cbv:disp:active</disposition>
    <readPoint><id>urn:epc:id:sgln:0012345.11111.400</id></readPoint><bizLocation><id>urn:epc:id:sgln:0012345.11111.0</id></bizLocation>
    <bizTransactionList><bizTransaction type="urn:epcglobal:cbv:btt:po">urn:epc:id:gdti:0614141.00001.1618034</bizTransaction>
      <bizTransaction>https://shop.example/orders/1?a=1&amp;b=2</bizTransaction></bizTransactionList>`,
  more: `<quantityList><quantityElement><epcClass>urn:epc:class:lgtin:4012345.012345.998877</epcClass><quantity>200.50</quantity><uom>KGM</uom></quantityElement></quantityList>
    <sourceList><source type="urn:epcglobal:cbv:sdt:owning_party">urn:epc:id:pgln:4012345.00225</source></sourceList>
    <destinationList><destination type="urn:epcglobal:cbv:sdt:location">urn:epc:id:sgln:0614141.00777.0</destination></destinationList>`,
  ilmd: `<ilmd><cbvmda:lotNumber>ABC123</cbvmda:lotNumber><ext:tree><two:leaf>1</two:leaf><two:leaf>2.0</two:leaf><two:branch><two:leaf>x</two:leaf></two:branch></ext:tree></ilmd>`,
  newest: `<sensorElementList><sensorElement>
      <sensorMetadata time="2026-04-02T14:05:00.000+01:00" deviceID="urn:epc:id:giai:4000001.111" ext:further="metadata"/>
      <sensorReport type="gs1:Temperature" value="26.0" uom="CEL" booleanValue="true" component="x"/>
      <sensorReport type="gs1:Humidity" minValue="1" ext:further="report"/>
      <ext:load>12</ext:load></sensorElement></sensorElementList>
    <persistentDisposition><unset>urn:epcglobal:cbv:disp:completeness_inferred</unset><set>urn:epcglobal:cbv:disp:completeness_verified</set></persistentDisposition>`,
  own: '<ext:weight unit="KGM">3.5</ext:weight><ext:empty xsi:nil="true"/><ext:int xsi:type="xsd:integer">10</ext:int>',
};

const declared = `xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:ext="https://ext.example/" xmlns:two="https://two.example/ns#" xmlns:cbvmda="urn:epcglobal:cbv:mda"`;
const around = (version: string, events: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE project>
   <epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:${version[0]}" ${declared} schemaVersion="${version}" creationDate="2026-06-04T14:59:02.099+02:00">
   <EPCISHeader><anything/></EPCISHeader><EPCISBody><EventList><!-- events -->${events}</EventList></EPCISBody></epcis:EPCISDocument>`;

const asVersion2 = around(
  '2.0',
  `<ObjectEvent>${parts.times}${parts.base}${parts.what}${parts.more}${parts.newest}${parts.ilmd}${parts.own}</ObjectEvent>`,
);
const asVersion1 = around(
  '1.2',
  `<ObjectEvent>${parts.times}<baseExtension>${parts.base}</baseExtension>${parts.what}
   <extension>${parts.more}${parts.ilmd}<extension>${parts.newest}</extension></extension>${parts.own}</ObjectEvent>`,
);

const twin: Json = {
  type: 'ObjectEvent',
  eventTime: '2026-04-04T20:33:31.116-06:00',
  eventTimeZoneOffset: '-06:00',
  eventID: 'urn:uuid:404d95fc-9457-4a51-bd6a-0bba133845a8',
  errorDeclaration: {
    declarationTime: '2026-05-15T00:00:00+01:00',
    reason: 'urn:epcglobal:cbv:er:incorrect_data',
    correctiveEventIDs: ['urn:uuid:fd338495-0e6d-41dd-afee-a862ecd32518'],
    'ext:why': 'typing error',
  },
  epcList: ['urn:epc:id:sgtin:0614141.107346.2018', 'urn:epc:id:sgtin:0614141.107346.2019'],
  action: 'ADD',
  bizStep: 'urn:epcglobal:cbv:bizstep:commissioning',
  disposition: 'urn:epcglobal:cbv:disp:active',
  readPoint: { id: 'urn:epc:id:sgln:0012345.11111.400' },
  bizLocation: { id: 'urn:epc:id:sgln:0012345.11111.0' },
  bizTransactionList: [
    { type: 'urn:epcglobal:cbv:btt:po', bizTransaction: 'urn:epc:id:gdti:0614141.00001.1618034' },
    { bizTransaction: 'https://shop.example/orders/1?a=1&b=2' },
  ],
  quantityList: [{ epcClass: 'urn:epc:class:lgtin:4012345.012345.998877', quantity: 200.5, uom: 'KGM' }],
  sourceList: [{ type: 'urn:epcglobal:cbv:sdt:owning_party', source: 'urn:epc:id:pgln:4012345.00225' }],
  destinationList: [{ type: 'urn:epcglobal:cbv:sdt:location', destination: 'urn:epc:id:sgln:0614141.00777.0' }],
  sensorElementList: [
    {
      sensorMetadata: { time: '2026-04-02T14:05:00.000+01:00', deviceID: 'urn:epc:id:giai:4000001.111', 'ext:further': 'metadata' },
      sensorReport: [
        { type: 'gs1:Temperature', value: 26, uom: 'CEL', booleanValue: true, component: 'x' },
        { type: 'gs1:Humidity', minValue: 1, 'ext:further': 'report' },
      ],
      'ext:load': '12',
    },
  ],
  persistentDisposition: {
    unset: ['urn:epcglobal:cbv:disp:completeness_inferred'],
    set: ['urn:epcglobal:cbv:disp:completeness_verified'],
  },
  ilmd: { 'cbvmda:lotNumber': 'ABC123', 'ext:tree': { 'two:leaf': ['1', '2.0'], 'two:branch': { 'two:leaf': 'x' } } },
  'ext:weight': { unit: 'KGM', value: '3.5' },
  'ext:empty': null,
  'ext:int': '10',
};
const contexts = [CONTEXT, { ext: 'https://ext.example/', two: 'https://two.example/ns#' }];

const read = (xml: string): Promise<Json> => readEpcisXml(Buffer.from(xml));
const eventsIn = (document: Json): Json[] => (document['epcisBody'] as { eventList: Json[] }).eventList;
const write = (event: Json, version: '1.2' | '2.0'): string =>
  documentXml([event], { version, createdAt: '2026-11-28T00:00:00Z', terms: 'https://trace.example/ns/trc#', queryName: null });

describe('EPCIS in XML', () => {
  it.each([
    ['2.0', asVersion2],
    ['1.2', asVersion1],
  ])('version %s is read as the JSON that says the same', async (_, xml) => {
    const document = await read(xml);
    expect(document).toEqual({
      '@context': contexts,
      type: 'EPCISDocument',
      schemaVersion: '2.0',
      creationDate: '2026-06-04T14:59:02.099+02:00',
      epcisBody: { eventList: [twin] },
    });
  });

  it.each(['1.2', '2.0'] as const)('version %s is written so that reading it gives the same event', async (version) => {
    const event = { ...twin, '@context': contexts };
    const again = await read(write(event, version));
    expect(eventsIn(again)[0]).toEqual({ ...twin, sensorElementList: expect.anything(), ilmd: expect.anything() });
    expect(eventHashId(eventsIn(again)[0]!, again['@context'])).toBe(eventHashId(event, []));
  });

  it.each(['1.2', '2.0'] as const)('all types go through version %s', async (version) => {
    const common = { eventTime: '2026-04-04T20:33:31Z', eventTimeZoneOffset: '+00:00', bizStep: 'assembling', eventID: 'urn:uuid:1' };
    const id = 'urn:epc:id:grai:4012345.55555.987';
    const all: Json[] = [
      { type: 'AggregationEvent', action: 'ADD', parentID: id, childEPCs: [id], ...common },
      { type: 'AssociationEvent', action: 'ADD', parentID: id, childQuantityList: [{ epcClass: id, quantity: 1e-7 }], ...common },
      { type: 'TransactionEvent', action: 'OBSERVE', bizTransactionList: [{ bizTransaction: id }], epcList: [id], ...common },
      { type: 'TransformationEvent', inputEPCList: [id], outputEPCList: [id], transformationID: id, ilmd: { 'gs1:x': 'y' }, ...common },
    ];
    for (const event of all) {
      const again = await read(write(event, version));
      expect(eventHashId(eventsIn(again)[0]!, again['@context'])).toBe(eventHashId(event, []));
      expect(eventsIn(again)[0]!['bizStep']).toBe('urn:epcglobal:cbv:bizstep:assembling');
    }
  });

  it('carries names that XML cannot have, and texts that it would read as its own', async () => {
    const event: Json = {
      type: 'ObjectEvent',
      '@context': { ext: { '@id': 'https://ext.example/' }, xmlns: 'https://odd.example/' },
      'ext:1st': 'first',
      'ext:a b': { 'nobody:knows': ['<&">', ']]>'], 'https://full.example/name': '&amp;' },
      'xmlns:odd': '\n',
      'ext:list': [1, true, 'x'],
    };
    const again = await read(write(event, '2.0'));
    expect(eventHashId(eventsIn(again)[0]!, again['@context'])).toBe(eventHashId(event, []));
  });

  it('reads the results of a query, an event by itself, and what a vendor of version 1 added', async () => {
    const event = '<ObjectEvent><extension><extension><myField>x</myField></extension></extension></ObjectEvent>';
    const results = `<q:EPCISQueryDocument xmlns:q="urn:epcglobal:epcis-query:xsd:2" schemaVersion="2.0"><EPCISBody><q:QueryResults>
      <queryName>Q</queryName><resultsBody><EventList>${event}</EventList></resultsBody></q:QueryResults></EPCISBody></q:EPCISQueryDocument>`;
    const found = { type: 'ObjectEvent', 'epcis:myField': 'x' };
    expect(await read(results)).toMatchObject({
      type: 'EPCISQueryDocument',
      epcisBody: { queryResults: { queryName: 'Q', resultsBody: { eventList: [found] } } },
    });
    expect(await read(event)).toMatchObject(found);
  });

  it.each([
    ['<a', 'not_xml'],
    ['', 'not_xml'],
    ['text', 'not_xml'],
    ['<a/><b/>', 'not_xml'],
    ['<a><b></a>', 'not_xml'],
    ['<a>&auml;</a>', 'not_xml'],
    ['<x:a/>', 'not_xml'],
    ['<constructor:a/>', 'forbidden_name'],
    ['<__proto__/>', 'forbidden_name'],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 'document_type'],
    ['<!DOCTYPE a [<!ENTITY e "lol"><!ENTITY f "&e;&e;">]><a>&f;</a>', 'document_type'],
    ['<a>'.repeat(81), 'too_deep'],
    ['<ObjectEvent><action>ADD</action><action>DELETE</action></ObjectEvent>', 'duplicate_name'],
    ['<a><!ELEMENT a ANY></a>', 'not_xml'],
  ])('%s is refused: %s', async (xml, code) => {
    const refused: unknown = await read(xml).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DomainError);
    expect((refused as DomainError).details.errors).toMatchObject([{ code, message: expect.stringMatching(/^.{1,300}$/) }]);
  });

  // Each took the parser, or what is made of it, the square of its length: minutes, in which nothing else was answered.
  it.each<[string, string, string]>([
    ['a declaration that does not end', `<a>${'<!'.repeat(1_000_000)}`, 'too_many'],
    ['a tag of many attributes', `<a ${Array.from({ length: 200_000 }, (_, i) => `b${i}=""`).join(' ')}/>`, 'too_many'],
    ['a tag of attributes that does not end', `<a ${'b="" '.repeat(1_000_000)}`, 'too_many'],
    [
      'namespaces that are declared in each other',
      Array.from({ length: 60 }, (_, i) => `<a xmlns:b${i}="u:${i}" xmlns:c${i}="u:${i}">`).join(''),
      'too_many',
    ],
    ['an event of many elements', `<ObjectEvent><x:a xmlns:x="u:x">${'<x:b/>'.repeat(300_000)}</x:a></ObjectEvent>`, 'too_large'],
  ])('is refused before it takes the time of others: %s', async (_, xml, code) => {
    const refused: unknown = await read(xml).catch((error: unknown) => error);
    expect((refused as DomainError).details.errors).toMatchObject([{ code }]);
  });

  it('keeps what occurs many times in the order of the document', async () => {
    const event = await read(
      `<ObjectEvent><x:a xmlns:x="u:x">${Array.from({ length: 9_000 }, (_, i) => `<x:b>${i}</x:b>`).join('')}</x:a></ObjectEvent>`,
    );
    expect(event).toMatchObject({ 'x:a': { 'x:b': Array.from({ length: 9_000 }, (_, i) => `${i}`) } });
  });

  it('refuses what is not UTF-8, and says in which line XML ends to be XML', async () => {
    const utf16 = await readEpcisXml(Buffer.from([0xff, 0xfe, 0x3c, 0x00])).catch((error: unknown) => error as DomainError);
    expect((utf16 as DomainError).details.errors![0]).toMatchObject({ code: 'not_utf8' });
    const broken = await read('<a>\n<b>\n</a>').catch((error: unknown) => error as DomainError);
    expect((broken as DomainError).details.errors![0]!.message).toMatch(/Line 3\.$/);
  });
});
