import { escapePointer, isObject } from '#kernel';

/** A value of an event that a column may say. */
export interface ProcessField {
  /** Into the body of `POST /events/prepare`. */
  readonly pointer: string;
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  readonly format: string | null;
  /** Allowed values; null: any. */
  readonly values: readonly (string | number)[] | null;
  readonly required: boolean;
  readonly description: string | null;
}

interface ProcessValues {
  /** JSON Schema of the metadata, with the definitions that it refers to. */
  readonly schema: unknown;
  readonly takesLots: boolean;
  readonly makesLot: boolean;
}

const MOST_FIELDS = 400;
const DEEPEST = 6;

/** Values of the events of a process, in the order of its schema. Of a list, those of its first item. */
export function fieldsOf({ schema, takesLots, makesLot }: ProcessValues): readonly ProcessField[] {
  const text = { type: 'string', format: null, values: null, description: null } as const;
  const fields: ProcessField[] = [];
  if (takesLots) fields.push({ ...text, pointer: '/inputTokenIds/0', required: true, description: 'Code of the lot that goes in' });
  if (makesLot) fields.push({ ...text, pointer: '/outputTlc', required: false, description: 'Code of the lot that is made' });
  collect(schema, schema, { pointer: '/metadata', required: true, depth: 0 }, fields);
  return fields.slice(0, MOST_FIELDS);
}

interface Visit {
  readonly pointer: string;
  readonly required: boolean;
  readonly depth: number;
}

function collect(root: unknown, given: unknown, { pointer, required, depth }: Visit, fields: ProcessField[]): void {
  const schema = resolved(root, given);
  if (!isObject(schema) || depth > DEEPEST || fields.length >= MOST_FIELDS) return;
  const parts = [schema, ...listAt(schema, 'allOf').map((part) => resolved(root, part))].filter(isObject);
  const properties = parts.flatMap((part) => (isObject(part['properties']) ? Object.entries(part['properties']) : []));
  const needed = new Set(parts.flatMap((part) => listAt(part, 'required')));
  for (const [name, inner] of properties)
    collect(
      root,
      inner,
      { pointer: `${pointer}/${escapePointer(name)}`, required: required && needed.has(name), depth: depth + 1 },
      fields,
    );
  if (properties.length > 0) return;
  const items = parts.map((part) => part['items']).find(isObject);
  if (items) return collect(root, items, { pointer: `${pointer}/0`, required: false, depth: depth + 1 }, fields);
  const field = fieldOf(parts, pointer, required);
  // Several parts of a schema may describe one value.
  if (field && !fields.some((known) => known.pointer === pointer)) fields.push(field);
}

function fieldOf(parts: readonly Record<string, unknown>[], pointer: string, required: boolean): ProcessField | null {
  const [type, format, values, description] = ['type', 'format', 'enum', 'description'].map((key) =>
    parts.map((part) => part[key]).find((value) => value !== undefined),
  );
  const kinds = [type].flat();
  const kind =
    (['integer', 'number', 'boolean', 'string'] as const).find((one) => kinds.includes(one)) ?? (Array.isArray(values) ? 'string' : null);
  if (kind === null) return null;
  return {
    ...{ pointer, type: kind, required },
    format: typeof format === 'string' ? format : null,
    values: Array.isArray(values)
      ? values.filter((value): value is string | number => typeof value === 'string' || typeof value === 'number')
      : null,
    description: typeof description === 'string' ? description : null,
  };
}

const listAt = (schema: Readonly<Record<string, unknown>>, key: string): readonly unknown[] =>
  Array.isArray(schema[key]) ? (schema[key] as unknown[]) : [];

function resolved(root: unknown, given: unknown, depth = 0): unknown {
  if (!isObject(given) || typeof given['$ref'] !== 'string' || depth > 20) return given;
  const name = /^#\/\$defs\/([^/]+)$/.exec(given['$ref'])?.[1];
  const defs = isObject(root) ? root['$defs'] : undefined;
  return isObject(defs) && name !== undefined ? resolved(root, defs[decodeURIComponent(name)], depth + 1) : undefined;
}
