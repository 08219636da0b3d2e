import { patternInWords } from './words.js';
import { locale, t } from '../state/language.js';

/** JSON Schema as far as process maps use it; the service validates the rest. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** What a field is filled in with. */
export type Shape =
  /** `either`: one of the groups of fields is needed. */
  | { readonly kind: 'object'; readonly fields: readonly ShapeField[]; readonly either: readonly (readonly string[])[] }
  | { readonly kind: 'text'; readonly format: string | null; readonly maxLength: number | null; readonly rule: string | null }
  | { readonly kind: 'number'; readonly most: number | null; readonly rule: string | null }
  | { readonly kind: 'choice'; readonly of: readonly unknown[] }
  | { readonly kind: 'yesNo' }
  | { readonly kind: 'fixed'; readonly value: unknown }
  | { readonly kind: 'list'; readonly item: Shape; readonly least: number; readonly most: number | null }
  | { readonly kind: 'tuple'; readonly items: readonly ShapeField[] }
  /** A GeoJSON ring, told as one corner a line. */
  | { readonly kind: 'area' }
  | { readonly kind: 'variants'; readonly of: readonly { readonly label: string; readonly shape: Shape }[] }
  /** What no form is made for is written as JSON. */
  | { readonly kind: 'json' };

export interface ShapeField {
  readonly key: string;
  /** Absent: made from the key. */
  readonly name?: string;
  readonly shape: Shape;
  readonly required: boolean;
  readonly hint: string | null;
}

/** Deeper than any form is read; also the end of schemas that name themselves. */
const DEEPEST = 10;
type Definitions = Readonly<Record<string, Schema>>;

/** @param definitions the `$defs` of the process map, which its schemas name as `#/$defs/…` */
export function shapeOf(schema: Schema, definitions: Definitions, depth = 0): Shape {
  const whole = merged(schema, definitions);
  if (depth > DEEPEST) return { kind: 'json' };
  if (whole.const !== undefined) return { kind: 'fixed', value: whole.const };
  if (whole.enum) return { kind: 'choice', of: whole.enum };
  const variants = (whole.oneOf ?? whole.anyOf ?? []).filter(({ required, ...rest }) => !required || Object.keys(rest).length > 0);
  if (variants.length > 1 && !whole.properties) return variantsOf(variants, definitions, depth);
  const type = Array.isArray(whole.type) ? whole.type.find((one) => one !== 'null') : whole.type;
  if (whole.properties) return objectOf(whole, definitions, depth);
  switch (type) {
    case 'string':
      return { kind: 'text', format: whole.format ?? null, maxLength: whole.maxLength ?? null, rule: ruleOfText(whole) };
    case 'number':
    case 'integer':
      return { kind: 'number', most: whole.maximum ?? whole.exclusiveMaximum ?? null, rule: ruleOfNumber(whole) };
    case 'boolean':
      return { kind: 'yesNo' };
    case 'array':
      return listOf(whole, definitions, depth);
    default:
      return { kind: 'json' };
  }
}

function objectOf(schema: Schema, definitions: Definitions, depth: number): Shape {
  if (isArea(schema)) return { kind: 'area' };
  const required = [...new Set(schema.required)];
  const either = (schema.anyOf ?? schema.oneOf ?? []).flatMap((branch) => (branch.required ? [branch.required] : []));
  // A document forgets the order of its fields and keeps that of its lists: the author's order is that of what is required.
  const order = [...required, ...either.flat()];
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  const fields = Object.entries(schema.properties!)
    .toSorted(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([key, property]) => ({
      key,
      shape: shapeOf(property, definitions, depth + 1),
      required: required.includes(key),
      hint: merged(property, definitions).description ?? null,
    }));
  return { kind: 'object', fields, either };
}

function listOf(schema: Schema, definitions: Definitions, depth: number): Shape {
  const { prefixItems, items, minItems = 0, maxItems = null } = schema;
  if (prefixItems)
    return {
      kind: 'tuple',
      items: prefixItems.map((item, index) => ({
        key: String(index),
        ...(item.maximum === 180 && { name: t('Longitude') }),
        ...(item.maximum === 90 && { name: t('Latitude') }),
        shape: shapeOf(item, definitions, depth + 1),
        required: index < minItems,
        hint: null,
      })),
    };
  if (typeof items !== 'object') return { kind: 'json' };
  return { kind: 'list', item: shapeOf(items, definitions, depth + 1), least: minItems, most: maxItems };
}

function variantsOf(branches: readonly Schema[], definitions: Definitions, depth: number): Shape {
  const of = branches.map((branch, index) => {
    const whole = merged(branch, definitions);
    const named = whole.title ?? Object.values(whole.properties ?? {}).find((property) => property.const !== undefined)?.const;
    return { label: typeof named === 'string' ? named : `${index + 1}`, shape: shapeOf(branch, definitions, depth + 1) };
  });
  return { kind: 'variants', of };
}

const isArea = ({ properties }: Schema): boolean => properties?.['type']?.const === 'Polygon' && 'coordinates' in properties;

/** A schema with what it refers to and what it is made of, as one. */
export function merged(schema: Schema, definitions: Definitions, depth = 0): Schema {
  const { $ref, allOf, ...own } = schema;
  if (depth > DEEPEST) return own;
  const name = $ref?.startsWith('#/$defs/') ? $ref.slice('#/$defs/'.length) : null;
  const parts = [...(name !== null && definitions[name] ? [definitions[name]] : []), ...(allOf ?? [])].map((part) =>
    merged(part, definitions, depth + 1),
  );
  return [...parts, own].reduce<Schema>(
    (all, part) => ({
      ...all,
      ...part,
      ...((all.properties ?? part.properties) && { properties: together(all.properties, part.properties) }),
      required: [...(all.required ?? []), ...(part.required ?? [])],
    }),
    {},
  );
}

/** Where both say something of one field, both hold. */
function together(first: Schema['properties'] = {}, second: Schema['properties'] = {}): Readonly<Record<string, Schema>> {
  const all: Record<string, Schema> = { ...first };
  for (const [key, schema] of Object.entries(second)) all[key] = first[key] ? { allOf: [first[key], schema] } : schema;
  return all;
}

const ruleOfText = ({ pattern, format }: Schema): string | null =>
  format === 'uri' ? t('A URL') : pattern && !format ? (patternInWords(pattern) ?? t('Format: {pattern}', { pattern })) : null;

const bound = (value: number): string => new Intl.NumberFormat(locale(), { useGrouping: false, maximumFractionDigits: 20 }).format(value);

function ruleOfNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string | null {
  const most = maximum ?? exclusiveMaximum;
  if (exclusiveMinimum !== undefined && most === undefined)
    return exclusiveMinimum === 0 ? null : t('More than {number}', { number: bound(exclusiveMinimum) });
  const least = minimum ?? exclusiveMinimum;
  if (least !== undefined && most !== undefined) return t('From {least} to {most}', { least: bound(least), most: bound(most) });
  if (least !== undefined) return t('At least {number}', { number: bound(least) });
  return most === undefined ? null : t('At most {number}', { number: bound(most) });
}
