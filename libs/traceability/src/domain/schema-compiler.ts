import { NotCanonical, canonicalJson } from '#kernel';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { asInstant } from './event-reading.js';
import { declaredProperties, isObject } from './json-schema.js';
import type { ProcessMap } from './process-map.js';
import { foldFaults, type SchemaFault } from './schema-faults.js';

/** Longer texts match no pattern: bounds what a merely quadratic expression can cost. */
const MAX_MATCHED = 4096;
const MAX_CACHED = 1000;

const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const expression = new RegExp(pattern, flags);
    // Ajv tells patterns apart by their text.
    return { test: (text: string) => text.length <= MAX_MATCHED && expression.test(text), toString: () => String(expression) };
  },
  { code: 'boundedRegExp' },
);

/** `strictTypes` etc. as the format asks; `addUsedSchema: false` keeps tenants that use the same `$id` apart. */
export function newAjv(options: { readonly strictTypes?: false; readonly allErrors?: false } = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    logger: false,
    addUsedSchema: false,
    allowUnionTypes: true,
    code: { regExp: boundedRegExp },
    ...options,
  });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  const { validate } = ajv.formats['date-time'] as { readonly validate: (text: string) => boolean };
  // The format's own grammar lets more through than what the rules about clocks can read: they would pass over it.
  ajv.addFormat('date-time', { type: 'string', validate: (text: string) => validate(text) && asInstant(text) !== null });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (on: boolean, list: unknown[]) => !on || allDiffer(list),
  });
  return ajv;
}

/** Ajv's own compares every pair: 60,000 small items would hold the process for seconds. */
function allDiffer(list: readonly unknown[]): boolean {
  try {
    return new Set(list.map((item) => canonicalJson(item))).size === list.length;
  } catch (error) {
    if (error instanceof NotCanonical) return true; // told by `textIssues`
    throw error;
  }
}

export interface MetadataSchema {
  readonly declared: ReadonlySet<string>;
  faults(metadata: unknown): readonly SchemaFault[];
}

/** Collecting all errors costs Ajv the square of their number; of a huge document only the first one is told. */
const MAX_VALUES = 5000;

function isSmall(value: unknown): boolean {
  let values = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && values <= MAX_VALUES) {
    const here = open.pop();
    values++;
    if (typeof here === 'object' && here !== null) for (const member of Object.values(here)) open.push(member);
  }
  return values <= MAX_VALUES;
}

/** The map's `$defs` below the schema's own, as domain-decisions §1 resolves them. */
export function mergedSchema(
  map: Pick<ProcessMap['document'], '$defs' | 'processes'>,
  processType: string,
): { readonly [keyword: string]: unknown } {
  const schema = map.processes[processType]!.metadataSchema;
  if (!isObject(schema)) return schema ? {} : { not: {} };
  return { ...schema, $defs: { ...map.$defs, ...(isObject(schema['$defs']) ? schema['$defs'] : {}) } };
}

/**
 * Compiled metadata schemas, remembered under the `$id` of domain-decisions §1 and the map's CID: two tenants may have
 * different texts under one name and version.
 */
export class SchemaCompiler {
  private readonly first = newAjv({ allErrors: false });
  private readonly all = newAjv();
  private readonly compiled = new Map<string, { readonly schema: object; readonly of: MetadataSchema }>();

  schemaOf(map: Pick<ProcessMap, 'cid' | 'document'>, processType: string): MetadataSchema {
    const id = `urn:pm:${map.document.key}:${map.document.version}:${processType}`;
    const key = `${map.cid} ${id}`;
    const known = this.compiled.get(key);
    if (known) {
      this.compiled.delete(key);
      this.compiled.set(key, known); // newest last
      return known.of;
    }
    const merged = mergedSchema(map.document, processType);
    const schema = { ...merged, $id: id };
    const valid = this.first.compile(schema);
    const of = {
      declared: declaredProperties(schema),
      faults: (metadata: unknown) => {
        if (valid(metadata)) return [];
        return isSmall(metadata) ? faultsOf(schema, this.all.compile(schema), metadata) : foldFaults(schema, valid.errors ?? []);
      },
    };
    this.compiled.set(key, { schema, of });
    this.evict();
    return of;
  }

  private evict(): void {
    if (this.compiled.size <= MAX_CACHED) return;
    const [key, oldest] = this.compiled.entries().next().value!;
    this.compiled.delete(key);
    for (const ajv of [this.first, this.all]) ajv.removeSchema(oldest.schema);
  }
}

export function faultsOf(
  schema: { readonly [keyword: string]: unknown },
  validate: ValidateFunction,
  value: unknown,
): readonly SchemaFault[] {
  return validate(value) ? [] : foldFaults(schema, validate.errors ?? []);
}
