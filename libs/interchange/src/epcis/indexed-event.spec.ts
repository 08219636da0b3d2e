import { describe, expect, it } from '@jest/globals';
import { indexedEvent } from './indexed-event.js';

const indexed = indexedEvent(
  {
    '@context': [{ ext: 'https://ext.example/', mine: 'https://trace.example/ns/trc#' }],
    type: 'ObjectEvent',
    action: 'OBSERVE',
    eventTime: '2026-03-04T11:00:30Z',
    bizStep: 'cbv:BizStep-shipping',
    disposition: 'x:own',
    readPoint: { id: 'https://trace.example/id/rice/lot/A' },
    epcList: [
      'urn:epc:id:sgtin:0614141.011111.987',
      'https://dealer.example/01/00614141111114/21/987',
      'https://trace.example/id/rice/lot/A',
    ],
    quantityList: [{ epcClass: 'urn:epc:class:lgtin:4012345.012345.L1', quantity: 7.5, uom: 'KGM' }],
    bizTransactionList: { type: 'po', bizTransaction: 'urn:epcglobal:cbv:bt:1:2' },
    persistentDisposition: { set: ['recalled'] },
    errorDeclaration: { declarationTime: '1970-01-01T00:00:01Z', reason: 'incorrect_data', 'ext:who': 'me' },
    sensorElementList: [
      {
        sensorMetadata: { startTime: '1970-01-01T00:00:02Z', 'ext:m': 1 },
        sensorReport: [{ type: 'Temperature', value: 4, uom: 'CEL', 'ext:r': true }],
      },
    ],
    ilmd: { 'cbvmda:lotNumber': 'L1' },
    'ext:outer': { 'ext:inner': ['a', 2] },
    'mine:processType': 'P',
  },
  'urn:uuid:1',
);

describe('what an event is found by', () => {
  it('has keys, words and own names in one spelling, each once', () => {
    expect(indexed).toMatchObject({
      eventID: 'urn:uuid:1',
      bizStep: 'https://ref.gs1.org/cbv/BizStep-shipping',
      disposition: 'x:own',
      readPoint: 'https://self-0c7f1c1e.invalid/id/rice/lot/A',
    });
    expect(indexed.names).toEqual([
      { role: 'epc', name: 'https://id.gs1.org/01/00614141111114/21/987' },
      { role: 'epc', name: 'https://self-0c7f1c1e.invalid/id/rice/lot/A' },
      { role: 'class', name: 'https://id.gs1.org/01/04012345123456/10/L1' },
      { role: 'bizTransaction_https://ref.gs1.org/cbv/BTT-po', name: 'urn:epcglobal:cbv:bt:1:2' },
    ]);
  });

  it('has what exists, and what it is equal to', () => {
    expect(indexed.terms).toEqual(
      expect.arrayContaining([
        'persistentDisposition_set=https://ref.gs1.org/cbv/Disp-recalled',
        'errorDeclaration',
        'errorReason=https://ref.gs1.org/cbv/ER-incorrect_data',
        'ERROR_DECLARATION_https://ext.example/who=me',
        'type=https://ref.gs1.org/voc/Temperature',
        'SENSORMETADATA_https://ext.example/m=1',
        'SENSORREPORT_https://ext.example/r=true',
        'ILMD_urn:epcglobal:cbv:mda:lotNumber=L1',
        'https://ext.example/outer',
        'INNER_https://ext.example/inner=a',
        'INNER_https://ext.example/inner=2',
        'trc:processType=P',
      ]),
    );
  });

  it('has what can be less or greater', () => {
    expect(indexed.values).toEqual(
      expect.arrayContaining([
        { field: 'quantity', value: 7.5 },
        { field: 'errorDeclarationTime', value: 1000 },
        { field: 'startTime', value: 2000 },
        { field: 'value', value: 4 },
        { field: 'value_CEL', value: 4 },
        { field: 'INNER_https://ext.example/inner', value: 2 },
      ]),
    );
    expect(indexed.values).toHaveLength(7);
  });

  it('has no text that is longer than an index of the database takes', () => {
    const long = Array.from({ length: 1_000 }, (_, i) => i.toString(36)).join('');
    const event = {
      ...{ type: 'ObjectEvent', bizStep: `x:${long}`, readPoint: { id: `x:${long}` }, epcList: [`x:${long}`, 'x:short'] },
      ...{ 'ext:remark': long, [`ext:${long}`]: 7, ilmd: { 'ext:text': 'ä'.repeat(600) } },
    };
    expect(indexedEvent(event, 'urn:uuid:1')).toMatchObject({
      ...{ bizStep: null, readPoint: null, values: [] },
      ...{ names: [{ role: 'epc', name: 'x:short' }], terms: ['ILMD_ext:text', 'ext:remark'] },
    });
  });
});
