import { describe, expect, it } from '@jest/globals';
import { nQuadsOf } from './n-quads.rules.js';
import type { DppDocument } from './dpp-document.js';

const V = 'https://voc.example/';
const document: DppDocument = {
  digitalProductPassportId: 'urn:uuid:8b715df3-7137-cdcf-f72e-507172c6c9ad',
  uniqueProductIdentifier: 'https://id.gs1.org/01/09520323450012/21/A1',
  granularity: 'item',
  dppSchemaVersion: 'EN 18223:2026',
  dppStatus: 'active',
  lastUpdated: '2026-11-30T12:00:00.000Z',
  economicOperatorId: 'https://id.gs1.org/417/9520000100018',
  contentSpecificationIds: [V],
  nodeTypes: [`${V}Battery`],
  elements: [
    {
      elementId: 'name',
      dictionaryReference: `${V}name`,
      objectType: 'MultiLanguageDataElement',
      value: [{ value: 'A "pack"\n\u0001', language: 'en' }],
    },
    {
      elementId: 'share',
      dictionaryReference: `${V}share`,
      objectType: 'SingleValuedDataElement',
      valueDataType: 'xsd:decimal',
      value: 1e-7,
    },
    {
      elementId: 'class',
      dictionaryReference: `${V}class`,
      objectType: 'SingleValuedDataElement',
      valueDataType: 'xsd:anyURI',
      value: `${V}B`,
      reference: true,
    },
    {
      elementId: 'bad',
      dictionaryReference: `${V}bad`,
      objectType: 'SingleValuedDataElement',
      valueDataType: 'xsd:anyURI',
      value: 'x> <y',
      reference: true,
    },
    { elementId: 'silent', objectType: 'SingleValuedDataElement', valueDataType: 'xsd:string', value: 'x' },
    {
      elementId: 'parts',
      dictionaryReference: `${V}part`,
      objectType: 'MultiValuedDataElement',
      nodeTypes: [`${V}Part`],
      value: [
        [{ elementId: 'n', dictionaryReference: `${V}n`, objectType: 'SingleValuedDataElement', valueDataType: 'xsd:integer', value: 1 }],
        [],
      ],
    },
  ],
};

describe('a passport as N-Quads', () => {
  it('says of the product what elements with a meaning say, and nothing that ends a line or an IRI', () => {
    const P = '<https://id.gs1.org/01/09520323450012/21/A1>';
    const lines = nQuadsOf(document).split('\n');
    expect(lines.slice(5)).toEqual([
      `${P} <${V}name> "A \\"pack\\"\\n\\u0001"@en .`,
      `${P} <${V}share> "0.0000001"^^<http://www.w3.org/2001/XMLSchema#decimal> .`,
      `${P} <${V}class> <${V}B> .`,
      `${P} <${V}bad> "x> <y"^^<http://www.w3.org/2001/XMLSchema#anyURI> .`,
      `${P} <${V}part> _:b0 .`,
      `_:b0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${V}Part> .`,
      `_:b0 <${V}n> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .`,
      `${P} <${V}part> _:b1 .`,
      `_:b1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${V}Part> .`,
      '',
    ]);
    expect(lines[0]).toBe(`${P} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${V}Battery> .`);
  });
});
