import type { Schema } from '../../record/shape.js';

/** A process map while it is edited; what the editor does not know stays as it is. */
export interface MapDraft {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly assetTypes: Readonly<Record<string, { readonly name: string }>>;
  /** Parts that processes share, by their name. */
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly processes: Readonly<Record<string, ProcessDraft>>;
}
export interface ProcessDraft {
  readonly label: string;
  readonly kind: string;
  readonly description?: string;
  readonly inputs: {
    readonly min: number;
    readonly max: number | null;
    readonly assetTypes: readonly string[];
    readonly consumption: string;
  };
  readonly outputs: {
    readonly min: number;
    readonly max: number;
    readonly assetType?: string;
    readonly coProducts?: readonly string[];
  };
  readonly metadataSchema: Schema;
}

export const FIELD_TYPES = ['text', 'number', 'integer', 'date', 'boolean', 'choice', 'group', 'other'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** One value that a process asks for. `group` has fields of its own; `other` is what the editor leaves alone. */
export interface FieldDraft {
  readonly key: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly description: string;
  /** One a line. */
  readonly choices: readonly string[];
  readonly minimum: string;
  readonly maximum: string;
}

export const fieldsIn = ({ properties = {}, required = [] }: Schema): readonly FieldDraft[] =>
  Object.entries(properties).map(([key, property]) => ({
    key,
    type: typeOf(property),
    required: required.includes(key),
    description: property.description ?? '',
    choices: (property.enum ?? []).map(String),
    minimum: property.minimum === undefined ? '' : String(property.minimum),
    maximum: property.maximum === undefined ? '' : String(property.maximum),
  }));

function typeOf({ type, enum: choices, format, $ref, properties }: Schema): FieldType {
  if ($ref !== undefined) return 'other';
  if (type === 'object' && properties) return 'group';
  if (choices) return choices.every((one) => typeof one === 'string') ? 'choice' : 'other';
  if (type === 'string') return format === 'date' ? 'date' : format === undefined ? 'text' : 'other';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'other';
}

/** Keeps of the old schema of the field what still fits its type. */
export function withField(schema: Schema, field: FieldDraft): Schema {
  const before = schema.properties?.[field.key] ?? {};
  const required = (schema.required ?? []).filter((key) => key !== field.key);
  return {
    ...schema,
    properties: { ...schema.properties, [field.key]: field.type === 'other' ? before : schemaOf(before, field) },
    required: field.required ? [...required, field.key] : required,
  };
}

function schemaOf(before: Schema, { type, description, choices, minimum, maximum }: FieldDraft): Schema {
  const { type: _type, enum: _enum, format: _format, minimum: _min, maximum: _max, description: _about, ...rest } = before;
  const kept = typeOf(before) === type ? rest : {};
  const about = description.trim() === '' ? {} : { description: description.trim() };
  switch (type) {
    case 'group':
      return { properties: {}, ...kept, ...about, type };
    case 'choice':
      return { ...kept, ...about, enum: choices };
    case 'date':
      return { ...kept, ...about, type: 'string', format: 'date' };
    case 'text':
      return { minLength: 1, maxLength: 200, ...kept, ...about, type: 'string' };
    case 'number':
    case 'integer':
      return { ...kept, ...about, type, ...bound('minimum', minimum), ...bound('maximum', maximum) };
    default:
      return { ...kept, ...about, type };
  }
}

const bound = (name: 'minimum' | 'maximum', text: string): Schema =>
  text.trim() === '' || Number.isNaN(Number(text)) ? {} : { [name]: Number(text) };

export function withoutField(schema: Schema, key: string): Schema {
  const { [key]: _removed, ...properties } = schema.properties ?? {};
  return { ...schema, properties, required: (schema.required ?? []).filter((one) => one !== key) };
}

/** The fields of a group: written in the process, or shared with other processes under a name. A list of groups has those of its item. */
export interface Group {
  readonly schema: Schema;
  readonly shared: string | null;
  readonly isList: boolean;
}

const SHARED = '#/$defs/';

/** @returns null where the field has no fields of its own */
export function groupIn(schema: Schema, key: string, defs: Readonly<Record<string, Schema>> = {}): Group | null {
  const property = schema.properties?.[key];
  const isList = property?.type === 'array';
  const at = isList && typeof property.items === 'object' ? property.items : property;
  const shared = at?.$ref?.startsWith(SHARED) ? at.$ref.slice(SHARED.length) : null;
  const inner = shared === null ? at : defs[shared];
  return inner?.type === 'object' && inner.properties ? { schema: inner, shared, isList } : null;
}

/** The draft with other fields in the group of a process: in the process, or in what processes share. */
export function withGroup(schema: Schema, key: string, { isList }: Group, inner: Schema): Schema {
  const property = schema.properties?.[key] ?? {};
  return { ...schema, properties: { ...schema.properties, [key]: isList ? { ...property, items: inner } : inner } };
}

/** Processes that use a shared part, also within another one. */
export function usersOf({ processes, $defs = {} }: MapDraft, name: string): readonly string[] {
  const names = (schema: unknown): readonly string[] =>
    [...JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, found]) => found!);
  const reaches = (schema: unknown, seen: ReadonlySet<string>): boolean =>
    names(schema).some((one) => one === name || (!seen.has(one) && reaches($defs[one] ?? {}, new Set([...seen, one]))));
  return Object.values(processes)
    .filter(({ metadataSchema }) => reaches(metadataSchema, new Set()))
    .map(({ label }) => label);
}

/** A published version never changes: the next one is proposed. */
export function nextVersion(version: string): string {
  const [major = '1', minor = '0'] = version.split('.');
  return `${major}.${Number(minor) + 1}.0`;
}

type Entry = readonly [processType: string, process: ProcessDraft];

/** As goods go through them: what makes a product before what takes it; what takes anything at the end. A document forgets the order. */
export function inFlow(processes: MapDraft['processes']): readonly Entry[] {
  const made = new Set<string>();
  const ordered: Entry[] = [];
  let waiting: readonly Entry[] = Object.entries(processes);
  while (waiting.length > 0) {
    const ready = waiting.filter(([, { inputs }]) => inputs.max === 0 || inputs.assetTypes.every((type) => made.has(type)));
    // Without one that is ready the rest makes a loop, or takes anything.
    const next = ready.length > 0 ? ready : waiting;
    for (const [, { outputs }] of next) for (const type of [outputs.assetType, ...(outputs.coProducts ?? [])]) if (type) made.add(type);
    ordered.push(...next);
    waiting = waiting.filter((one) => !next.includes(one));
  }
  return ordered;
}
