import { atPointer, escapePointer } from '#kernel';
import type { JsonSchema } from './process-map.js';

type SchemaObject = { readonly [keyword: string]: unknown };

/** Keywords of JSON Schema 2020-12 whose subschemas look at the same instance, by the shape of their value. */
const IN_PLACE = { one: ['not', 'if', 'then', 'else'], list: ['allOf', 'anyOf', 'oneOf'], map: ['dependentSchemas'] } as const;
/** Keywords whose subschemas look at a part of the instance. */
const INTO = {
  one: ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'contains', 'unevaluatedItems', 'contentSchema'],
  list: ['prefixItems'],
  map: ['properties', 'patternProperties'],
} as const;

export interface Subschema {
  readonly schema: JsonSchema;
  readonly pointer: string;
  readonly inPlace: boolean;
}

export const isObject = (value: unknown): value is SchemaObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Direct subschemas; references are not followed. */
export function subschemas(schema: JsonSchema, pointer = ''): Subschema[] {
  if (!isObject(schema)) return [];
  const found: Subschema[] = [];
  for (const [table, inPlace] of [
    [IN_PLACE, true],
    [INTO, false],
  ] as const) {
    const add = (value: unknown, at: string) => {
      if (isObject(value) || typeof value === 'boolean') found.push({ schema: value, pointer: at, inPlace });
    };
    for (const keyword of table.one) add(schema[keyword], `${pointer}/${keyword}`);
    for (const keyword of table.list) {
      const list = schema[keyword];
      if (Array.isArray(list)) list.forEach((item, i) => add(item, `${pointer}/${keyword}/${i}`));
    }
    for (const keyword of table.map) {
      const map = schema[keyword];
      if (isObject(map)) for (const key of Object.keys(map)) add(map[key], `${pointer}/${keyword}/${escapePointer(key)}`);
    }
  }
  return found;
}

/** What a local reference (`#`, `#/$defs/…`) points to in its root, or undefined. */
export function referenced(root: SchemaObject, ref: string): JsonSchema | undefined {
  if (!ref.startsWith('#')) return undefined;
  const target = pointedAt(root, ref.slice(1));
  return isObject(target) || typeof target === 'boolean' ? target : undefined;
}

function pointedAt(root: SchemaObject, fragment: string): unknown {
  try {
    return atPointer(root, decodeURIComponent(fragment));
  } catch {
    return undefined;
  }
}

/** Names of the properties that a schema declares at its top level, through references and combinations. */
export function declaredProperties(root: SchemaObject): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (schema: JsonSchema | undefined) => {
    if (!isObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    if (isObject(schema['properties'])) for (const name of Object.keys(schema['properties'])) names.add(name);
    if (typeof schema['$ref'] === 'string') visit(referenced(root, schema['$ref']));
    for (const child of subschemas(schema)) if (child.inPlace) visit(child.schema);
  };
  visit(root);
  return names;
}

/** Every schema object that is reachable from one, references followed. */
export function reachable(root: SchemaObject, from: JsonSchema): ReadonlySet<unknown> {
  const seen = new Set<unknown>();
  const queue: (JsonSchema | undefined)[] = [from];
  for (let next = queue.pop(); next !== undefined || queue.length > 0; next = queue.pop()) {
    if (!isObject(next) || seen.has(next)) continue;
    seen.add(next);
    if (typeof next['$ref'] === 'string') queue.push(referenced(root, next['$ref']));
    queue.push(...subschemas(next).map((child) => child.schema));
  }
  return seen;
}
