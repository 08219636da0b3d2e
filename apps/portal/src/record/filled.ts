import { numberOrText, writeNumber } from '../state/numbers.js';
import type { Shape } from './shape.js';

/** The values of a form: text as typed, so that unfinished numbers are not lost. */
export type Filled = string | readonly Filled[] | { readonly [key: string]: Filled };

/** Any JSON value; undefined is none. */
type Json = unknown;

const isObject = (filled: Filled | undefined): filled is { readonly [key: string]: Filled } =>
  typeof filled === 'object' && !Array.isArray(filled);
const partOf = (filled: Filled | undefined, key: string): Filled | undefined => (isObject(filled) ? filled[key] : undefined);
const textOf = (filled: Filled | undefined): string => (typeof filled === 'string' ? filled : '');
const itemsOf = (filled: Filled | undefined): readonly Filled[] => (Array.isArray(filled) ? (filled as readonly Filled[]) : []);

/** The document of a filled form. Empty optional fields are absent. */
export function documentOf(shape: Shape, filled: Filled | undefined, required: boolean): Json {
  switch (shape.kind) {
    case 'fixed':
      return shape.value;
    case 'object':
      return objectOf(shape, filled, required);
    case 'list': {
      const items = itemsOf(filled);
      if (items.length === 0) return required ? [] : undefined;
      // A row that is there keeps its place: issues refer to it.
      return items.map((item) => documentOf(shape.item, item, true) ?? null);
    }
    case 'tuple': {
      const items = shape.items.map(({ key, shape: item }) => documentOf(item, itemsOf(filled)[Number(key)], false));
      return items.every((item) => item === undefined) && !required ? undefined : items.map((item) => item ?? null);
    }
    case 'variants': {
      const chosen = shape.of[Number(textOf(partOf(filled, 'variant')) || Number.NaN)];
      return chosen && documentOf(chosen.shape, partOf(filled, 'value'), true);
    }
    case 'area':
      return areaOf(textOf(filled));
    default:
      return plainOf(shape, textOf(filled).trim());
  }
}

function objectOf(shape: Shape & { readonly kind: 'object' }, filled: Filled | undefined, required: boolean): Json {
  const parts = shape.fields.flatMap((field) => {
    const part = documentOf(field.shape, partOf(filled, field.key), field.required);
    return part === undefined ? [] : [[field, part] as const];
  });
  // Fixed and required members of an object are present only when the object is.
  const said = parts.some(([field]) => documentOf(field.shape, partOf(filled, field.key), false) !== undefined && !isFixed(field.shape));
  if (!said && !required) return undefined;
  return Object.fromEntries(parts.map(([{ key }, part]) => [key, part]));
}

const isFixed = (shape: Shape): boolean => shape.kind === 'fixed';

function plainOf(shape: Shape, text: string): Json {
  if (text === '') return undefined;
  switch (shape.kind) {
    case 'number':
      return numberOrText(text, shape);
    case 'yesNo':
      return text === 'true';
    case 'choice':
      return shape.of.find((one) => String(one) === text) ?? text;
    case 'text':
      return shape.format === 'date-time' ? instantOf(text) : text;
    default:
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
  }
}

/** A local time as browsers' fields write it, as an instant. */
function instantOf(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}

/** One corner a line, longitude first; the ring is closed where it is not. */
function areaOf(text: string): Json {
  const corners = text
    .split('\n')
    .map((line) => line.trim().split(/[\s,;]+/))
    .filter(([first]) => first !== '')
    .map((line) => line.map(Number));
  if (corners.length === 0) return undefined;
  if (String(corners[0]) !== String(corners.at(-1))) corners.push(corners[0]!);
  return { type: 'Polygon', coordinates: [corners] };
}

/** The form that says what a document says, as far as the shape has a field for it. */
export function filledOf(shape: Shape, document: Json): Filled {
  const member = (key: string): Json =>
    typeof document === 'object' && document !== null ? (document as Record<string, Json>)[key] : undefined;
  if (shape.kind === 'object')
    return Object.fromEntries(
      shape.fields.flatMap(({ key, shape: inner }) => (member(key) === undefined ? [] : [[key, filledOf(inner, member(key))]])),
    );
  if (shape.kind === 'list' && Array.isArray(document)) return document.map((item) => filledOf(shape.item, item));
  if (shape.kind === 'tuple' && Array.isArray(document))
    return shape.items.map(({ shape: item }, index) => filledOf(item, document[index]));
  if (shape.kind === 'variants') {
    const variant = shape.of.findIndex(({ shape: one }) => fits(one, document));
    return variant < 0 ? '' : { variant: String(variant), value: filledOf(shape.of[variant]!.shape, document) };
  }
  if (shape.kind === 'area') {
    const [ring] = (member('coordinates') ?? []) as readonly (readonly number[])[][];
    return (ring ?? []).map((corner) => corner.join(' ')).join('\n');
  }
  if (typeof document === 'number') return shape.kind === 'number' ? writeNumber(document) : String(document);
  if (typeof document === 'string' || typeof document === 'boolean') return String(document);
  return document === undefined || document === null ? '' : JSON.stringify(document);
}

/** Variants of an object say by a fixed member which they are; an area always is the same. */
function fits(shape: Shape, document: Json): boolean {
  const said = (document ?? {}) as Readonly<Record<string, Json>>;
  if (shape.kind === 'area') return said['type'] === 'Polygon';
  if (shape.kind !== 'object') return typeof document === (shape.kind === 'number' ? 'number' : 'string');
  return shape.fields.every((field) => field.shape.kind !== 'fixed' || said[field.key] === field.shape.value);
}

/** A copy in which one place is another. Where nothing stood, a number names a place in a list. */
export function withAt(filled: Filled | undefined, path: readonly string[], value: Filled): Filled {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(filled) || (!isObject(filled) && /^\d+$/.test(key))) {
    const items = [...itemsOf(filled)];
    while (items.length < Number(key)) items.push('');
    items[Number(key)] = withAt(items[Number(key)], rest, value);
    return items;
  }
  return { ...(isObject(filled) ? filled : {}), [key]: withAt(isObject(filled) ? filled[key] : undefined, rest, value) };
}

/** How many items a list has. */
export function lengthAt(filled: Filled | undefined, [key, ...rest]: readonly string[]): number {
  return key === undefined ? itemsOf(filled).length : lengthAt(isObject(filled) ? filled[key] : itemsOf(filled)[Number(key)], rest);
}
