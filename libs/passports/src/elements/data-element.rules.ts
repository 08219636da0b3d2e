import { atPointer, isObject } from '#kernel';
import type { DataElement, ElementRule, MultiValued } from './data-element.js';

/** What is at a pointer into the metadata, as far as the reader may read it; undefined where nothing is. */
export type ReadAt = (pointer: string) => unknown;

type Scalar = string | number | boolean;
/** What a rule says of an element, and nothing of its value. */
type Meaning = Pick<ElementRule, 'id' | 'dictionaryReference' | 'valueDataType' | 'language' | 'contentType' | 'reference' | 'nodeTypes'>;

/** The element that a rule makes of readable values; null where there is none. @param at pointer of the values around it */
export function elementBy(rule: ElementRule, read: ReadAt, at = ''): DataElement | null {
  if (rule.value !== undefined) return leafOf(rule, rule.value);
  const pointer = at + (rule.path ?? '');
  if (!rule.elements) return rule.path === undefined ? null : elementOf(rule, read(pointer));
  const whole = rule.path === undefined ? undefined : read(pointer);
  if (Array.isArray(whole))
    return groups(
      rule,
      whole.map((item: unknown) => membersBy(rule.elements!, (inner) => atPointer(item, inner))),
    );
  const elements = membersBy(rule.elements, read, pointer);
  return elements.length === 0 ? null : { ...named(rule), objectType: 'DataElementCollection', ...nodeTypes(rule), elements };
}

const membersBy = (rules: readonly ElementRule[], read: ReadAt, at = ''): DataElement[] =>
  rules.flatMap((rule) => elementBy(rule, read, at) ?? []);

function groups(rule: ElementRule, all: readonly (readonly DataElement[])[]): MultiValued | null {
  const value = all.filter((elements) => elements.length > 0);
  return value.length === 0 ? null : { ...named(rule), objectType: 'MultiValuedDataElement', ...nodeTypes(rule), value };
}

/** Deeper values are one text: each level of them takes up to three of the document, which has 32 at most. */
const MOST_LEVELS = 8;

/** Any JSON as an element; null for what says nothing: null, an empty list, an empty object. */
export function elementOf(meaning: Meaning, value: unknown, level = 0): DataElement | null {
  if (isScalar(value)) return leafOf(meaning, value);
  if (typeof value === 'object' && value !== null && level >= MOST_LEVELS) return asText(meaning, value);
  if (Array.isArray(value)) return listOf(meaning, value, level);
  if (!isObject(value)) return null;
  const elements = membersOf(value, level + 1);
  return elements.length === 0 ? null : { ...named(meaning), objectType: 'DataElementCollection', ...nodeTypes(meaning), elements };
}

const membersOf = (value: Readonly<Record<string, unknown>>, level: number): DataElement[] =>
  Object.entries(value).flatMap(([id, member]) => elementOf({ id }, member, level) ?? []);

const asText = (meaning: Meaning, value: object): DataElement => leafOf({ ...meaning, valueDataType: 'xsd:string' }, JSON.stringify(value));

/** Lists in lists, like coordinates, are one text: the model has no such element. */
function listOf(meaning: Meaning, list: readonly unknown[], level: number): DataElement | null {
  if (meaning.language !== undefined && list.every((item) => typeof item === 'string'))
    return list.length === 0
      ? null
      : { ...named(meaning), objectType: 'MultiLanguageDataElement', value: list.map((value) => ({ value, language: meaning.language! })) };
  const items = list.filter((item) => item !== null && item !== undefined);
  if (items.length === 0) return null;
  if (items.every(isScalar)) {
    const types = [...new Set(items.map((item) => meaning.valueDataType ?? typeOf(item)))];
    const type = types.length === 1 ? types[0]! : types.every((one) => NUMBERS.has(one)) ? 'xsd:decimal' : 'xsd:string';
    const value = type === 'xsd:string' ? items.map(String) : items;
    return {
      ...named(meaning),
      objectType: 'MultiValuedDataElement',
      valueDataType: type,
      ...(meaning.reference && { reference: true }),
      value,
    };
  }
  if (items.every((item) => isObject(item) && !Array.isArray(item)))
    return groups(
      meaning,
      items.map((item) => membersOf(item as Readonly<Record<string, unknown>>, level + 1)),
    );
  return asText(meaning, items);
}

function leafOf(meaning: Meaning, value: Scalar): DataElement {
  const { language, contentType, reference } = meaning;
  if (typeof value === 'string' && contentType !== undefined)
    return { ...named(meaning), objectType: 'RelatedResource', contentType, url: value, ...(language !== undefined && { language }) };
  if (typeof value === 'string' && language !== undefined)
    return { ...named(meaning), objectType: 'MultiLanguageDataElement', value: [{ value, language }] };
  return {
    ...named(meaning),
    objectType: 'SingleValuedDataElement',
    valueDataType: meaning.valueDataType ?? typeOf(value),
    value,
    ...(reference && { reference }),
  };
}

const named = ({ id, dictionaryReference }: Meaning) => ({
  elementId: id,
  ...(dictionaryReference !== undefined && { dictionaryReference }),
});
const nodeTypes = ({ nodeTypes: types }: Meaning) => (types ? { nodeTypes: types } : {});

const NUMBERS: ReadonlySet<string> = new Set(['xsd:integer', 'xsd:decimal', 'xsd:double']);

function typeOf(value: Scalar): string {
  if (typeof value === 'boolean') return 'xsd:boolean';
  if (typeof value === 'string') return /^\d{4}-\d{2}-\d{2}$/.test(value) ? 'xsd:date' : 'xsd:string';
  if (Number.isInteger(value)) return 'xsd:integer';
  return String(value).includes('e') ? 'xsd:double' : 'xsd:decimal';
}

const isScalar = (value: unknown): value is Scalar =>
  (typeof value === 'string' && value !== '') || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

/** Reads values that are given by pointer: each with everything that is inside of it. */
export function readerOf(values: Readonly<Record<string, unknown>>): ReadAt {
  return (pointer) => {
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
      const around = pointer.slice(0, end);
      if (Object.hasOwn(values, around)) return atPointer(values[around], pointer.slice(end));
    }
    return undefined;
  };
}

/** The value of an element in the compressed representation (EN 18223 clause 5.2): keys and values without types. */
export function compressed(element: DataElement): unknown {
  switch (element.objectType) {
    case 'SingleValuedDataElement':
    case 'MultiLanguageDataElement':
      return element.value;
    case 'MultiValuedDataElement':
      return element.value.map((item) => (Array.isArray(item) ? compressedAll(item) : item));
    case 'DataElementCollection':
      return compressedAll(element.elements);
    case 'RelatedResource': {
      const { elementId: _, objectType: __, dictionaryReference: ___, ...resource } = element;
      return resource;
    }
    default:
      return undefined;
  }
}

export const compressedAll = (elements: readonly DataElement[]): Record<string, unknown> =>
  Object.fromEntries(elements.map((element) => [element.elementId, compressed(element)]));
