import type { DppDocument } from '../composing/dpp-document.js';
import type { DataElement } from '../elements/data-element.js';
import { elementOf } from '../elements/data-element.rules.js';
import type { Step } from '../elements/element-path.js';

/** The value at a path of a compressed document; undefined where the path selects nothing. */
export function valueAt(document: unknown, steps: readonly Step[]): unknown {
  let here = document;
  for (const step of steps) {
    if (typeof step === 'number' ? !Array.isArray(here) : typeof here !== 'object' || here === null || Array.isArray(here))
      return undefined;
    if (!Object.hasOwn(here as object, step)) return undefined;
    here = (here as Record<Step, unknown>)[step];
  }
  return here;
}

/** The element at a path of the compressed document, with its type and meaning; undefined where the path selects nothing. */
export function elementAt({ elements, ...header }: DppDocument, [first, ...rest]: readonly Step[]): DataElement | undefined {
  const name = String(first);
  if (Object.hasOwn(header, name)) return inPlainJson(name, valueAt(header, [name, ...rest]));
  let here = elements.find(({ elementId }) => elementId === first);
  for (const step of rest) here = here && memberOf(here, step);
  return here;
}

function memberOf(element: DataElement, step: Step): DataElement | undefined {
  if (element.objectType === 'DataElementCollection') return element.elements.find(({ elementId }) => elementId === step);
  if (element.objectType === 'RelatedResource' || element.objectType === 'SingleValuedDataElement') return undefined;
  const item = typeof step === 'number' ? element.value[step] : undefined;
  if (item === undefined) return undefined;
  const elementId = String(step);
  if (element.objectType === 'MultiLanguageDataElement')
    return { elementId, objectType: 'MultiLanguageDataElement', value: [element.value[step as number]!] };
  const { valueDataType, nodeTypes, dictionaryReference, reference } = element;
  const named = { elementId, ...(dictionaryReference !== undefined && { dictionaryReference }) };
  if (Array.isArray(item))
    return { ...named, objectType: 'DataElementCollection', ...(nodeTypes && { nodeTypes }), elements: item as DataElement[] };
  return {
    ...named,
    objectType: 'SingleValuedDataElement',
    valueDataType: valueDataType ?? 'xsd:string',
    value: item as string | number | boolean,
    ...(reference && { reference }),
  };
}

const inPlainJson = (id: string, value: unknown): DataElement | undefined => elementOf({ id }, value) ?? undefined;
