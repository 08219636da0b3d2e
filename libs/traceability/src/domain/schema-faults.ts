import { escapePointer } from '#kernel';
import type { ErrorObject } from 'ajv';
import { closest } from './did-you-mean.js';
import { isObject, reachable } from './json-schema.js';

/** One thing wrong with a document, in plain words. */
export interface SchemaFault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** Nobody reads more, and folding compares them with one another. */
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

/** A wrong type explains everything else said about the same value. */
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

/** The value says itself that this branch was not meant: another type, or another `type` member. */
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

/** How a choice between required fields is told. */
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

function sentence(error: Fault): string {
  const { keyword, params } = error;
  const limit = String(params['limit']);
  switch (keyword) {
    case 'type':
      return `must be ${[params['type']]
        .flat()
        .map((type) => article(String(type)))
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'pattern':
      return `must match ${String(params['pattern'])}`;
    case 'format':
      return `must be ${FORMATS[String(params['format'])] ?? `a valid ${String(params['format'])}`}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return `must have at least ${limit} item${limit === '1' ? '' : 's'}`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'uniqueItems':
      return 'must not repeat an item';
    case 'anyOf':
    case 'oneOf':
      return error.message?.startsWith(MUST_HAVE) ? error.message : 'fits none of the allowed forms';
    case 'false schema':
      return 'is not allowed here';
    default:
      return error.message ?? 'is not valid';
  }
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
