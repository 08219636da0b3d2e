import { atPointer, escapePointer, isObject } from '#kernel';
import type { JsonSchema } from '../process-map.js';
import type { ErrorObject } from 'ajv';
import { distance } from 'fastest-levenshtein';

type SchemaObject = { readonly [keyword: string]: unknown };

/** Keywords of JSON Schema 2020-12 whose subschemas look at the same instance, by the shape of their value. */
const IN_PLACE = { one: ['not', 'if', 'then', 'else'], list: ['allOf', 'anyOf', 'oneOf'], map: ['dependentSchemas'] } as const;
/** Keywords whose subschemas look at a part of the instance. */
const INTO = {
  one: ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'contains', 'unevaluatedItems', 'contentSchema'],
  list: ['prefixItems'],
  map: ['properties', 'patternProperties'],
} as const;

interface Subschema {
  readonly schema: JsonSchema;
  readonly pointer: string;
  readonly inPlace: boolean;
}

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
function reachable(root: SchemaObject, from: JsonSchema): ReadonlySet<unknown> {
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

/** One thing wrong with a document, in plain words. */
export interface SchemaFault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** More are of no use, and folding compares them with one another. */
const MAX_ERRORS = 500;

type Fault = ErrorObject & { readonly parentSchema?: object; readonly data?: unknown };

/**
 * Folds what Ajv reports into one message per fault: the branches of anyOf and oneOf, the echo of if/then, and everything
 * below an object that is of the wrong type altogether.
 * @param errors with `verbose` and `allErrors`
 */
export function foldFaults(root: { readonly [keyword: string]: unknown }, errors: readonly ErrorObject[]): SchemaFault[] {
  const faults = chooseBranches(root, errors.slice(0, MAX_ERRORS)).filter((error) => error.keyword !== 'if');
  const wrongKind = faults.filter((error) => error.keyword === 'const' && error.instancePath.endsWith('/type'));
  const kept = faults.filter(
    (error) =>
      !wrongKind.some(
        (kind) =>
          kind !== error &&
          under(kind.instancePath.slice(0, -'/type'.length), error.instancePath) &&
          kind.instancePath !== error.instancePath,
      ),
  );
  const byPointer = new Map<string, SchemaFault>();
  for (const error of kept.toSorted((a, b) => weight(a) - weight(b))) {
    const fault = inPlainWords(error);
    if (!byPointer.has(fault.pointer)) byPointer.set(fault.pointer, fault);
  }
  return [...byPointer.values()];
}

/** A wrong type explains every other fault of the same value. */
const weight = (error: Fault): number => (error.keyword === 'type' ? 0 : 1);
const under = (parent: string, pointer: string): boolean => pointer === parent || pointer.startsWith(`${parent}/`);

/** Replaces each failed anyOf/oneOf and the errors of its branches by those of the branch that was meant, or by one sentence. */
function chooseBranches(root: { readonly [keyword: string]: unknown }, errors: readonly Fault[]): Fault[] {
  let left = [...errors];
  for (const choice of errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf')) {
    if (!left.includes(choice)) continue;
    const branches = (Array.isArray(choice.schema) ? choice.schema : []).map((branch) => {
      const inside = reachable(root, branch);
      return left.filter((error) => error !== choice && under(choice.instancePath, error.instancePath) && inside.has(error.parentSchema));
    });
    const noise = new Set<Fault>([choice, ...branches.flat()]);
    left = [...left.filter((error) => !noise.has(error)), ...meant(choice, branches)];
  }
  return left;
}

function meant(choice: Fault, branches: readonly (readonly Fault[])[]): readonly Fault[] {
  const required = branches.map((branch) =>
    branch.every((error) => error.keyword === 'required' && error.instancePath === choice.instancePath)
      ? branch.map((error) => String(error.params['missingProperty']))
      : [],
  );
  if (required.length > 0 && required.every((names) => names.length > 0))
    return [{ ...choice, message: `${MUST_HAVE}${required.map((names) => names.join(' and ')).join(' or ')}` }];
  const fitting = branches.filter((branch) => branch.length > 0 && !branch.some((error) => contradicts(choice, error)));
  return fitting.length === 1 ? fitting[0]! : [choice];
}

/** The value shows that this branch was not meant: another type, or another `type` member. */
const contradicts = (choice: Fault, error: Fault): boolean =>
  (error.instancePath === choice.instancePath && ['type', 'const', 'enum'].includes(error.keyword)) ||
  (error.keyword === 'const' && error.instancePath === `${choice.instancePath}/type`);

function inPlainWords(error: Fault): SchemaFault {
  const { instancePath, keyword, params } = error;
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return { pointer: `${instancePath}/${escapePointer(String(params['missingProperty']))}`, code: 'required', message: 'is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      return {
        pointer: `${instancePath}/${escapePointer(name)}`,
        code: 'unknown_field',
        message: `is not a field of this object${hint(name, error.parentSchema)}`,
      };
    }
    default:
      return {
        pointer: instancePath,
        code: error.message?.startsWith(MUST_HAVE) ? 'required' : (CODES[keyword] ?? 'invalid'),
        message: sentence(error),
      };
  }
}

function hint(name: string, schema: object | undefined): string {
  const properties = schema && isObject(schema) && isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const guess = closest(name, properties);
  return guess ? `; did you mean ${guess}?` : '';
}

/** How the sentence about a choice between required fields begins. */
const MUST_HAVE = 'must have either ';

const CODES: Readonly<Record<string, string>> = {
  type: 'wrong_type',
  anyOf: 'no_form_fits',
  oneOf: 'no_form_fits',
  enum: 'not_allowed_value',
  const: 'not_allowed_value',
  pattern: 'pattern_mismatch',
  format: 'format_mismatch',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  minLength: 'out_of_range',
  maxLength: 'out_of_range',
  minItems: 'out_of_range',
  maxItems: 'out_of_range',
};

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-09-15',
  'date-time': 'an instant such as 2026-09-15T08:30:00Z',
  uri: 'a URI such as https://example.org/x',
  email: 'an e-mail address',
};

type Params = Fault['params'];
const limitOf = (params: Params): string => String(params['limit']);

/** One sentence for each keyword of JSON Schema. */
const SENTENCES: Readonly<Record<string, (params: Params) => string>> = {
  type: (params) =>
    `must be ${[params['type']]
      .flat()
      .map((type) => article(String(type)))
      .join(' or ')}`,
  enum: (params) => `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`,
  const: (params) => `must be ${JSON.stringify(params['allowedValue'])}`,
  pattern: (params) => `must match ${String(params['pattern'])}`,
  format: (params) => `must be ${FORMATS[String(params['format'])] ?? `a valid ${String(params['format'])}`}`,
  minimum: (params) => `must be at least ${limitOf(params)}`,
  maximum: (params) => `must be at most ${limitOf(params)}`,
  exclusiveMinimum: (params) => `must be greater than ${limitOf(params)}`,
  exclusiveMaximum: (params) => `must be less than ${limitOf(params)}`,
  minLength: (params) => (limitOf(params) === '1' ? 'must not be empty' : `must have at least ${limitOf(params)} characters`),
  maxLength: (params) => `must have at most ${limitOf(params)} characters`,
  minItems: (params) => `must have at least ${limitOf(params)} item${limitOf(params) === '1' ? '' : 's'}`,
  maxItems: (params) => `must have at most ${limitOf(params)} items`,
  uniqueItems: () => 'must not repeat an item',
  'false schema': () => 'is not allowed here',
};

function sentence({ keyword, params, message }: Fault): string {
  if (keyword === 'anyOf' || keyword === 'oneOf') return message?.startsWith(MUST_HAVE) ? message : 'fits none of the allowed forms';
  const known = Object.hasOwn(SENTENCES, keyword) ? SENTENCES[keyword] : undefined;
  return known?.(params) ?? message ?? 'is not valid';
}

const article = (type: string): string =>
  ({
    object: 'an object',
    array: 'a list',
    string: 'a text',
    number: 'a number',
    integer: 'a whole number',
    boolean: 'true or false',
    null: 'null',
  })[type] ?? type;

/** Comparing two names takes the product of their lengths. */
const MAX_COMPARED = 128;

/** The known name nearest to a mistyped one: at most two edits away, and fewer than the name is long. */
export function closest(name: string, known: Iterable<string>): string | null {
  if (name.length > MAX_COMPARED) return null;
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const candidate of known) {
    // There are at least as many edits as the lengths differ. Checked first, since the distance of long names is slow to compute.
    if (Math.abs(name.length - candidate.length) > 2) continue;
    const edits = distance(name, candidate);
    if (edits > 0 && edits <= 2 && edits < name.length && (best === null || edits < best.edits)) best = { name: candidate, edits };
  }
  return best?.name ?? null;
}
