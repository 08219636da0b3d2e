import { describe, expect, it } from '@jest/globals';
import { type Condition, readQuery } from './simple-query.js';

const namespaces = { ext: 'https://ext.example/' };
const read = (parameters: Record<string, string | readonly string[]>) =>
  readQuery(Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value].flat()])), namespaces);
const conditions = (name: string, ...values: readonly string[]): readonly Condition[] => {
  const { query, problems } = read({ [name]: values });
  expect(problems).toEqual([]);
  return query.conditions;
};
const step = (word: string): string => `https://ref.gs1.org/cbv/BizStep-${word}`;

describe('a SimpleEventQuery', () => {
  it.each<[string, readonly string[], Condition]>([
    ['eventType', ['ObjectEvent'], { kind: 'column', column: 'type', any: ['ObjectEvent'] }],
    [
      'EQ_bizStep',
      ['shipping', 'urn:epcglobal:cbv:bizstep:packing', 'x:own'],
      { kind: 'column', column: 'bizStep', any: [step('shipping'), step('packing'), 'x:own'] },
    ],
    [
      'EQ_readPoint',
      ['urn:epc:id:sgln:4012345.00011.987'],
      { kind: 'column', column: 'readPoint', any: ['https://id.gs1.org/414/4012345000115/254/987'] },
    ],
    [
      'WD_bizLocation',
      ['urn:epc:id:sgln:4012345.00011.0'],
      { kind: 'within', column: 'bizLocation', any: ['https://id.gs1.org/414/4012345000115'] },
    ],
    [
      'MATCH_anyEPC',
      ['urn:epc:id:sscc:4012345.0000000333'],
      { kind: 'names', roles: ['epc', 'parent', 'input', 'output'], any: ['https://id.gs1.org/00/040123450000003338'], like: [] },
    ],
    [
      'MATCH_inputEPCClass',
      ['urn:epc:idpat:sgtin:4054739.099914.*'],
      { kind: 'names', roles: ['inputClass'], any: [], like: ['https://id.gs1.org/01/04054739999148/21/%'] },
    ],
    [
      'EQ_bizTransaction_po',
      ['urn:epcglobal:cbv:bt:1:2'],
      { kind: 'names', roles: ['bizTransaction_https://ref.gs1.org/cbv/BTT-po'], any: ['urn:epcglobal:cbv:bt:1:2'], like: [] },
    ],
    [
      'EQ_source_owning_party',
      ['urn:epc:id:pgln:4000001.00012'],
      {
        kind: 'names',
        roles: ['source_https://ref.gs1.org/cbv/SDT-owning_party'],
        any: ['https://id.gs1.org/417/4000001000128'],
        like: [],
      },
    ],
    [
      'EQ_persistentDisposition_set',
      ['recalled'],
      { kind: 'terms', any: ['persistentDisposition_set=https://ref.gs1.org/cbv/Disp-recalled'] },
    ],
    ['EQ_errorReason', ['did_not_occur'], { kind: 'terms', any: ['errorReason=https://ref.gs1.org/cbv/ER-did_not_occur'] }],
    ['EXISTS_errorDeclaration', [''], { kind: 'terms', any: ['errorDeclaration'] }],
    ['GE_errorDeclarationTime', ['1970-01-01T00:00:01Z'], { kind: 'value', field: 'errorDeclarationTime', compare: '>=', value: 1000 }],
    ['LT_quantity', ['5'], { kind: 'value', field: 'quantity', compare: '<', value: 5 }],
    ['GT_value_CEL', ['4.5'], { kind: 'value', field: 'value_CEL', compare: '>', value: 4.5 }],
    ['LE_startTime', ['1970-01-01T01:00:00+01:00'], { kind: 'value', field: 'startTime', compare: '<=', value: 0 }],
    ['EQ_type', ['Temperature'], { kind: 'terms', any: ['type=https://ref.gs1.org/voc/Temperature'] }],
    ['EQ_deviceID', ['urn:epc:id:giai:4000001.111'], { kind: 'terms', any: ['deviceID=https://id.gs1.org/8004/4000001111'] }],
    ['EQ_ext:a', ['1', '2'], { kind: 'terms', any: ['https://ext.example/a=1', 'https://ext.example/a=2'] }],
    ['EXISTS_INNER_ILMD_ext:a', [''], { kind: 'terms', any: ['ILMD_INNER_https://ext.example/a'] }],
    ['EQ_ERROR_DECLARATION_ext:a', ['1'], { kind: 'terms', any: ['ERROR_DECLARATION_https://ext.example/a=1'] }],
    ['GT_INNER_ext:a', ['1'], { kind: 'value', field: 'INNER_https://ext.example/a', compare: '>', value: 1 }],
    ['EQ_SENSORREPORT_ext:a', ['1'], { kind: 'terms', any: ['SENSORREPORT_https://ext.example/a=1'] }],
    ['HASATTR_bizLocation', ['name'], { kind: 'never' }],
  ])('reads %s of %j', (name, values, condition) => {
    expect(conditions(name, ...values)).toEqual([condition]);
  });

  it('bounds, sorts and limits', () => {
    const { query, problems } = read({
      GE_eventTime: '2026-01-01T00:00:00 01:00',
      LT_eventTime: '2026-02-01T00:00:00Z',
      orderBy: 'recordTime',
      orderDirection: 'ASC',
      eventCountLimit: '7',
    });
    expect(problems).toEqual([]);
    expect(query).toEqual({
      conditions: [{ kind: 'time', column: 'eventTime', from: new Date('2025-12-31T23:00:00Z'), before: new Date('2026-02-01') }],
      orderBy: 'recordTime',
      descending: false,
      eventCountLimit: 7,
      maxEventCount: null,
    });
  });

  it.each<[Record<string, string | readonly string[]>, readonly string[]]>([
    [{ EQ_bizstep: 'shipping' }, ['/EQ_bizstep unknown_parameter']],
    [{ GE_eventTime: '2026-01-01T00:00:00' }, ['/GE_eventTime no_time_zone']],
    [{ eventType: 'ShippingEvent' }, ['/eventType unknown_word']],
    [{ orderBy: 'name', orderDirection: 'UP' }, ['/orderBy unknown_word', '/orderDirection unknown_word']],
    [{ eventCountLimit: '0' }, ['/eventCountLimit wrong_type']],
    [{ eventCountLimit: '1', maxEventCount: '1' }, ['/maxEventCount not_together']],
    [{ GT_quantity: 'many' }, ['/GT_quantity wrong_type']],
    [{ EQ_bizStep: Array.from({ length: 1_001 }, () => 'shipping') }, ['/EQ_bizStep too_many']],
    [Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`EQ_x:${i}`, '1'])), [' too_many']],
    [{ 'EQ_a/b': '1' }, ['/EQ_a~1b unknown_parameter']],
    [{ constructor: '1' }, ['/constructor unknown_parameter']],
  ])('%#: refuses what it cannot read, by its name', (parameters, expected) => {
    expect(read(parameters).problems.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(expected);
  });
});
