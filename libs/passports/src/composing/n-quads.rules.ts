import type { DataElement } from '../elements/data-element.js';
import type { DppDocument } from './dpp-document.js';

const RDF_TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const CORE = 'https://ref.openepcis.io/extensions/common/core/';
const LEVELS = { model: 'ModelLevel', batch: 'BatchLevel', item: 'ItemLevel' } as const;

/** A passport as N-Quads (RDF 1.1): what its elements with a meaning say of the product. */
export function nQuadsOf(document: DppDocument): string {
  const { uniqueProductIdentifier, granularity, dppStatus, lastUpdated, nodeTypes = [], elements } = document;
  const writer = new Writer();
  const subject = `<${uniqueProductIdentifier}>`;
  for (const type of nodeTypes) writer.add(subject, RDF_TYPE, `<${type}>`);
  writer.add(subject, `<${CORE}granularityLevel>`, literal(granularity, 'xsd:string'));
  writer.add(subject, `<${CORE}hasReportingGranularity>`, `<${CORE}${LEVELS[granularity]}>`);
  writer.add(subject, `<${CORE}passportStatus>`, literal(dppStatus, 'xsd:string'));
  writer.add(subject, `<${CORE}lastUpdated>`, literal(lastUpdated, 'xsd:dateTime'));
  for (const element of elements) writer.element(subject, element);
  return writer.lines.join('');
}

class Writer {
  readonly lines: string[] = [];
  private nodes = 0;

  add(subject: string, predicate: string, object: string): void {
    this.lines.push(`${subject} ${predicate} ${object} .\n`);
  }

  /** An element without a meaning says nothing in RDF. */
  element(subject: string, element: DataElement): void {
    if (element.dictionaryReference === undefined) return;
    const predicate = `<${element.dictionaryReference}>`;
    switch (element.objectType) {
      case 'SingleValuedDataElement':
        return this.add(subject, predicate, valueOf(element.value, element.valueDataType, element.reference));
      case 'MultiLanguageDataElement':
        for (const { value, language } of element.value) this.add(subject, predicate, `${quoted(value)}@${language}`);
        return;
      case 'RelatedResource':
        return this.add(subject, predicate, valueOf(element.url, 'xsd:anyURI', true));
      case 'DataElementCollection':
        return this.node(subject, predicate, element.nodeTypes, element.elements);
      default:
        for (const item of element.value)
          if (Array.isArray(item)) this.node(subject, predicate, element.nodeTypes, item as readonly DataElement[]);
          else this.add(subject, predicate, valueOf(item as Scalar, element.valueDataType ?? 'xsd:string', element.reference));
    }
  }

  private node(subject: string, predicate: string, types: readonly string[] = [], elements: readonly DataElement[]): void {
    const node = `_:b${this.nodes++}`;
    this.add(subject, predicate, node);
    for (const type of types) this.add(node, RDF_TYPE, `<${type}>`);
    for (const element of elements) this.element(node, element);
  }
}

type Scalar = string | number | boolean;

/** IRIREF of N-Triples. A text that is none stays a text. */
const IRI = /^[a-z][a-z0-9+.-]*:[^\p{Cc} <>"{}|^`\\]*$/iu;

const valueOf = (value: Scalar, type: string, isReference: boolean | undefined): string =>
  isReference && typeof value === 'string' && IRI.test(value) ? `<${value}>` : literal(value, type);

function literal(value: Scalar, type: string): string {
  const text = typeof value === 'number' && type === 'xsd:decimal' ? decimal(value) : String(value);
  return type === 'xsd:string' ? quoted(text) : `${quoted(text)}^^<${type.replace('xsd:', XSD)}>`;
}

/** A decimal has no exponent. */
const decimal = (value: number): string => (/e/.test(String(value)) ? value.toFixed(20).replace(/\.?0+$/, '') : String(value));

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const quoted = (text: string): string =>
  `"${text.replaceAll(/[\\"\p{Cc}]/gu, (mark) => ESCAPES[mark] ?? `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)}"`;
