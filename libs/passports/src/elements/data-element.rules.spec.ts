import { canonicalJson } from '#kernel';
import { describe, expect, it } from '@jest/globals';
import type { ElementRule } from './data-element.js';
import { compressed, elementBy, elementOf, readerOf } from './data-element.rules.js';

const by = (rule: ElementRule, values: Record<string, unknown>): unknown => elementBy(rule, readerOf(values));

describe('a data element of plain JSON', () => {
  it.each<[unknown, object]>([
    ['text', { objectType: 'SingleValuedDataElement', valueDataType: 'xsd:string', value: 'text' }],
    ['2026-09-21', { objectType: 'SingleValuedDataElement', valueDataType: 'xsd:date', value: '2026-09-21' }],
    [true, { objectType: 'SingleValuedDataElement', valueDataType: 'xsd:boolean', value: true }],
    [7, { objectType: 'SingleValuedDataElement', valueDataType: 'xsd:integer', value: 7 }],
    [0.5, { objectType: 'SingleValuedDataElement', valueDataType: 'xsd:decimal', value: 0.5 }],
    [1e-9, { objectType: 'SingleValuedDataElement', valueDataType: 'xsd:double', value: 1e-9 }],
    [[1, 2.5], { objectType: 'MultiValuedDataElement', valueDataType: 'xsd:decimal', value: [1, 2.5] }],
    [['a', 1], { objectType: 'MultiValuedDataElement', valueDataType: 'xsd:string', value: ['a', '1'] }],
    [[[1, 2], [3]], { objectType: 'SingleValuedDataElement', valueDataType: 'xsd:string', value: '[[1,2],[3]]' }],
  ])('%j has its type', (value, element) => {
    expect(elementOf({ id: 'x' }, value)).toEqual({ elementId: 'x', ...element });
  });

  it.each([null, undefined, '', [], {}, [null], { a: null }, [{ a: [] }]])('is none for %j, which says nothing', (value) => {
    expect(elementOf({ id: 'x' }, value)).toBeNull();
  });

  it('is a collection of its members, and a list of objects groups of theirs, and both come back compressed', () => {
    const value = { steps: [{ process: 'Milling', places: ['VN'] }, { process: 'Packing' }], complete: true };
    const element = elementOf({ id: 'origin' }, value)!;
    expect(element).toMatchObject({
      objectType: 'DataElementCollection',
      elements: [
        {
          elementId: 'steps',
          objectType: 'MultiValuedDataElement',
          value: [[{ elementId: 'process', value: 'Milling' }, { elementId: 'places' }], [{ elementId: 'process' }]],
        },
        { elementId: 'complete', value: true },
      ],
    });
    expect(compressed(element)).toEqual(value);
  });

  it('stays within the depth of a document that can be hashed, however deep the value is', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 30; level++) deep = level % 2 === 0 ? [{ deep }] : { deep };
    expect(canonicalJson({ elements: [elementOf({ id: 'x' }, deep)] })).toContain('end');
  });
});

describe('a data element that a process map names', () => {
  const rule: ElementRule = { id: 'chemistry', dictionaryReference: 'https://voc.example/chemistry', path: '/battery/chemistry' };

  it('has the value at its path, where the reader may read it, or something around it', () => {
    const element = { elementId: 'chemistry', dictionaryReference: 'https://voc.example/chemistry', value: 'LFP' };
    expect(by(rule, { '/battery/chemistry': 'LFP' })).toMatchObject(element);
    expect(by(rule, { '/battery': { chemistry: 'LFP' } })).toMatchObject(element);
    expect(by(rule, { '/battery/chemistry/name': 'LFP', '/batterychemistry': 'LFP' })).toBeNull();
  });

  it('may be a value of the type, a text in a language, a file or the name of a thing', () => {
    expect(by({ id: 'ce', value: false }, {})).toMatchObject({ valueDataType: 'xsd:boolean', value: false });
    expect(by({ id: 'care', value: 'Keep dry', language: 'en' }, {})).toMatchObject({ value: [{ value: 'Keep dry', language: 'en' }] });
    expect(by({ id: 'manual', value: 'https://a.example/m.pdf', contentType: 'application/pdf' }, {})).toEqual({
      elementId: 'manual',
      objectType: 'RelatedResource',
      url: 'https://a.example/m.pdf',
      contentType: 'application/pdf',
    });
    expect(by({ id: 'class', value: 'https://a.example/B', valueDataType: 'xsd:anyURI', reference: true }, {})).toMatchObject({
      valueDataType: 'xsd:anyURI',
      reference: true,
    });
  });

  it('has members by their paths inside of it, in each item of a list', () => {
    const members: ElementRule[] = [
      { id: 'name', path: '/material' },
      { id: 'unit', value: 'P1' },
    ];
    expect(
      by({ id: 'one', path: '/main', nodeTypes: ['https://voc.example/M'], elements: members }, { '/main/material': 'Li' }),
    ).toMatchObject({
      objectType: 'DataElementCollection',
      nodeTypes: ['https://voc.example/M'],
      elements: [{ elementId: 'name', value: 'Li' }, { elementId: 'unit' }],
    });
    expect(by({ id: 'all', path: '/list', elements: members }, { '/list': [{ material: 'Li' }, { material: 'C' }] })).toMatchObject({
      objectType: 'MultiValuedDataElement',
      value: [
        [{ value: 'Li' }, { value: 'P1' }],
        [{ value: 'C' }, { value: 'P1' }],
      ],
    });
  });
});
