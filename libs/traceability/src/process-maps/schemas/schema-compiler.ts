import { NotCanonical, canonicalJson, isObject } from '#kernel';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { asInstant } from '../event-reading.js';
import { closest, declaredProperties, foldFaults, type SchemaFault } from './json-schema.js';
import { isPatternFault, knownPattern, MAX_MATCHED } from './linear-pattern.js';
import { type CostPlan, costPlan, patternCost, spend, valuesIn } from './schema-cost.js';
import type { ProcessMap } from '../process-map.js';

type SchemaObject = { readonly [keyword: string]: unknown };

const linearRegExp = Object.assign(
  (source: string) => {
    const pattern = knownPattern(source);
    if (isPatternFault(pattern)) throw new Error(pattern.message);
    return pattern;
  },
  { code: 'linearRegExp' },
);

/** For the schemas of tenants: `strictTypes` etc. as the format asks; `addUsedSchema: false` keeps those that use the same `$id` apart. */
export const newAjv = (options: Options = {}): Ajv2020 => ajvWith({ code: { regExp: linearRegExp }, ...options });

/** For the service's own schema of process maps, whose patterns are known. */
export const newTrustedAjv = (): Ajv2020 => ajvWith({ strictTypes: false });

function ajvWith(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, logger: false, addUsedSchema: false, allowUnionTypes: true, ...options });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  boundFormats(ajv);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (on: boolean, list: unknown[]) => !on || allDiffer(list),
  });
  return ajv;
}

/** Some of the formats' own expressions take the square of the length; like a pattern, none is tried on a long text. */
function boundFormats(ajv: Ajv2020): void {
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (format instanceof RegExp)
      ajv.addFormat(name, { type: 'string', validate: (text: string) => text.length <= MAX_MATCHED && format.test(text) });
    if (typeof format === 'function')
      ajv.addFormat(name, { type: 'string', validate: (text: string) => text.length <= MAX_MATCHED && format(text) });
  }
  const { validate } = ajv.formats['date-time'] as { readonly validate: (text: string) => boolean };
  // The format's own grammar lets more through than what the rules about clocks can read: they would pass over it.
  ajv.addFormat('date-time', {
    type: 'string',
    validate: (text: string) => text.length <= MAX_MATCHED && validate(text) && asInstant(text) !== null,
  });
}

/** Ajv's own compares every pair: 60,000 small items would hold the process for seconds. */
function allDiffer(list: readonly unknown[]): boolean {
  try {
    return new Set(list.map((item) => canonicalJson(item))).size === list.length;
  } catch (error) {
    if (error instanceof NotCanonical) return true; // `textIssues` reports it
    throw error;
  }
}

/** What a schema says about metadata. */
export interface SchemaVerdict {
  readonly faults: readonly SchemaFault[];
  /** Names at the top level that are no declared ones, with the declared name that was probably meant. */
  readonly hints: readonly { readonly name: string; readonly meant: string }[];
}

/** Collecting all errors costs Ajv the square of their number; for a huge document only the first one is reported. */
const MAX_VALUES = 5000;
/** Pairs of names that are compared for hints. */
const MAX_COMPARED = 2_000_000;
/** Comparisons of `spend`; about a second. */
const MAX_COST = 3_000_000;

const isSmall = (value: unknown): boolean => valuesIn(value, MAX_VALUES) <= MAX_VALUES;

/** The map's `$defs` below the schema's own, as docs/spec/domain.md#process-maps resolves them. */
export function mergedSchema(map: Pick<ProcessMap['document'], '$defs' | 'processes'>, processType: string): SchemaObject {
  const schema = map.processes[processType]!.metadataSchema;
  if (!isObject(schema)) return schema ? {} : { not: {} };
  return { ...schema, $defs: { ...map.$defs, ...(isObject(schema['$defs']) ? schema['$defs'] : {}) } };
}

export const tooLong = (message: string): SchemaVerdict => ({
  faults: [{ pointer: '', code: 'validation_too_long', message }],
  hints: [],
});

/** Compiles schemas that were checked when their map was published. */
export class SchemaCompiler {
  private readonly first = once(() => newAjv({ allErrors: false, validateSchema: false }));
  private readonly all = once(() => newAjv({ validateSchema: false }));

  of(schema: SchemaObject): CompiledSchema {
    return new CompiledSchema(schema, this.first, this.all);
  }

  forget({ schema }: CompiledSchema): void {
    for (const ajv of [this.first(), this.all()]) ajv.removeSchema(schema);
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

export const NO_FAULTS: SchemaVerdict = { faults: [], hints: [] };

export class CompiledSchema {
  readonly plan: CostPlan;
  /** What compiling takes, in parts of a schema. */
  readonly weight: number;
  readonly declared: ReadonlySet<string>;
  private readonly first: () => ValidateFunction;
  private readonly all: () => ValidateFunction;

  constructor(
    readonly schema: SchemaObject,
    first: () => Ajv2020,
    all: () => Ajv2020,
  ) {
    this.plan = costPlan(schema);
    this.weight = this.plan.parts + patternCost(schema);
    this.declared = declaredProperties(schema);
    this.first = once(() => first().compile(schema));
    this.all = once(() => all().compile(schema));
  }

  /** Compiles what `verdict` uses for such metadata, which can take longer than the verdict. */
  compileFor(metadata: object): void {
    this.validatorFor(metadata);
  }

  /** Whether metadata fit and nothing can be said about their names, provided that finding out takes at most this many comparisons; else null. */
  accepts(metadata: object, most: number): boolean | null {
    const names = Object.keys(metadata);
    if (names.length * this.declared.size > most || spend(this.plan, metadata, most) < 0) return null;
    return this.first()(metadata) && names.every((name) => this.declared.has(name) || closest(name, this.declared) === null);
  }

  verdict(metadata: object): SchemaVerdict {
    if (spend(this.plan, metadata, MAX_COST) < 0)
      return tooLong('is too large for the schema of this process: its parts would be compared with the values more than 3 million times');
    return { faults: this.faults(metadata), hints: this.hints(metadata) };
  }

  private faults(metadata: object): readonly SchemaFault[] {
    return faultsOf(this.schema, this.validatorFor(metadata), metadata);
  }

  private validatorFor(metadata: object): ValidateFunction {
    return isSmall(metadata) ? this.all() : this.first();
  }

  private hints(metadata: object): SchemaVerdict['hints'] {
    const names = Object.keys(metadata);
    if (names.length * this.declared.size > MAX_COMPARED) return [];
    return names.flatMap((name) => {
      const meant = this.declared.has(name) ? null : closest(name, this.declared);
      return meant === null ? [] : [{ name, meant }];
    });
  }
}

export function faultsOf(schema: SchemaObject, validate: ValidateFunction, value: unknown): readonly SchemaFault[] {
  return validate(value) ? [] : foldFaults(schema, validate.errors ?? []);
}
