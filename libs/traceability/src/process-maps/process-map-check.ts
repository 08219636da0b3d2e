import { pointerCovers } from '#envelope';
import { atPointer, escapePointer, type Problem, gs1CheckDigitHolds, isObject } from '#kernel';
import type { ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { referenced, subschemas } from './schemas/json-schema.js';
import { dataElementProblems } from './data-element-check.js';
import type { Process, ProcessMapDocument, JsonSchema } from './process-map.js';
import { isPatternFault, knownPattern } from './schemas/linear-pattern.js';
import { faultsOf, mergedSchema, newAjv, newTrustedAjv } from './schemas/schema-compiler.js';
import { costPlan } from './schemas/schema-cost.js';

const MAX_PROCESSES = 200;

/**
 * Finds what prevents publishing a document (docs/spec/domain.md#process-maps, "Reject at publish"). Takes up to 15 ms a process, and more
 * for what is made to take long: it runs in a thread of its own.
 */
export class ProcessMapCheck {
  private readonly format: ValidateFunction;
  private readonly ajv = newAjv();

  /** @param formatSchema templates/process-map.schema.json */
  constructor(private readonly formatSchema: { readonly [keyword: string]: unknown }) {
    this.format = newTrustedAjv().compile(formatSchema);
  }

  /** @param see gets the place that is checked next */
  problems(document: unknown, see: (pointer: string) => void = () => undefined): readonly Problem[] {
    if (isObject(document) && isObject(document['processes']) && Object.keys(document['processes']).length > MAX_PROCESSES)
      return [{ pointer: '/processes', code: 'too_many_processes', message: `a map may have ${MAX_PROCESSES} processes` }];
    const faults = faultsOf(this.formatSchema, this.format, document);
    if (faults.length > 0) return faults;
    const map = document as ProcessMapDocument;
    const keys = Object.keys(map.processes);
    const noted = <T>(key: string, at: (key: string) => T): T => {
      see(`/processes/${key}/metadataSchema`);
      return at(key);
    };
    const problems = [
      ...sharedKeys(map),
      ...assetTypeProblems(map),
      ...dataElementProblems(map),
      ...keys.flatMap((key) => noted(key, () => processProblems(map, key))),
    ];
    if (problems.length > 0) return problems;
    const costs = costProblems(map);
    return costs.length > 0 ? costs : keys.flatMap((key) => noted(key, () => compileProblems(this.ajv, map, key)));
  }
}

/** Keys are unique ignoring case: RICE_MILLING and rice_milling would be confused. */
function sharedKeys(map: ProcessMapDocument): Problem[] {
  const seen = new Map<string, string>();
  return Object.keys(map.processes).flatMap((key) => {
    const twin = seen.get(key.toLowerCase());
    seen.set(key.toLowerCase(), key);
    return twin === undefined
      ? []
      : [{ pointer: `/processes/${key}`, code: 'duplicate_process_type', message: `differs from ${twin} only by its case` }];
  });
}

const assetTypeProblems = (map: ProcessMapDocument): Problem[] =>
  Object.entries(map.assetTypes)
    .filter(([, type]) => type.gtin !== undefined && !gs1CheckDigitHolds(type.gtin))
    .map(([key]) => ({ pointer: `/assetTypes/${key}/gtin`, code: 'wrong_check_digit', message: 'the check digit of the GTIN is wrong' }));

function processProblems(map: ProcessMapDocument, key: string): Problem[] {
  const process = map.processes[key]!;
  const at = `/processes/${key}`;
  const schema = mergedSchema(map, key);
  const place = (pointer: string) => placeIn(map, process, at, pointer);
  const problems = [
    ...unknownAssetTypes(map, process, at),
    ...schemaProblems(schema, place),
    ...boundsProblems(process, at),
    ...visibilityProblems(process, at),
    ...successorProblems(map, process, at),
  ];
  if (process.tlc?.pattern !== undefined)
    patternProblem(process.tlc.pattern, (code, message) => problems.push({ pointer: `${at}/tlc/pattern`, code, message }));
  return problems;
}

/** Shared definitions are written once in the map; a fault in one is reported there. */
function placeIn(map: ProcessMapDocument, process: Process, at: string, pointer: string): string {
  const own = isObject(process.metadataSchema) && atPointer(process.metadataSchema, pointer.split('/').slice(0, 3).join('/')) !== undefined;
  return pointer.startsWith('/$defs/') && !own && map.$defs ? pointer : `${at}/metadataSchema${pointer}`;
}

function unknownAssetTypes(map: ProcessMapDocument, process: Process, at: string): Problem[] {
  const named: [string, string][] = [
    ...process.inputs.assetTypes.map((type, i): [string, string] => [`/inputs/assetTypes/${i}`, type]),
    ...(process.outputs.assetType === undefined ? [] : [['/outputs/assetType', process.outputs.assetType] as [string, string]]),
    ...(process.outputs.coProducts ?? []).map((type, i): [string, string] => [`/outputs/coProducts/${i}`, type]),
    ...Object.keys(process.footprint?.allocation?.factors ?? {}).map((type): [string, string] => [
      `/footprint/allocation/factors/${escapePointer(type)}`,
      type,
    ]),
  ];
  return named
    .filter(([, type]) => type !== '*' && !Object.hasOwn(map.assetTypes, type))
    .map(([pointer, type]) => ({
      pointer: `${at}${pointer}`,
      code: 'unknown_asset_type',
      message: `there is no asset type ${type} in this map`,
    }));
}

function boundsProblems({ inputs, outputs, yield: range }: Process, at: string): Problem[] {
  const turned = (pointer: string) => ({ pointer: `${at}${pointer}`, code: 'empty_range', message: 'the minimum is above the maximum' });
  return [
    ...(inputs.max !== null && inputs.min > inputs.max ? [turned('/inputs')] : []),
    ...(outputs.min > outputs.max ? [turned('/outputs')] : []),
    ...(range && range.min > range.max ? [turned('/yield')] : []),
  ];
}

/** A link from one passport to another needs both. */
function successorProblems({ assetTypes }: ProcessMapDocument, { successor, kind, outputs }: Process, at: string): Problem[] {
  if (!successor || (kind === 'transformation' && assetTypes[outputs.assetType ?? '']?.passport)) return [];
  const message = 'a successor is made by a transformation, of an asset type with passports';
  return [{ pointer: `${at}/successor`, code: 'successor_without_passport', message }];
}

/** What everybody reads cannot hold what only few may read: it would be in the clear for good. */
function visibilityProblems({ visibility = {} }: Process, at: string): Problem[] {
  const { public: open = [], personal = [], legitimate_interest: interest = [] } = visibility;
  const closed = [
    ...personal.map((pointer) => ['personal', pointer] as const),
    ...interest.map((pointer) => ['legitimate_interest', pointer] as const),
  ];
  return open.flatMap((pointer, i) => {
    const place = `${at}/visibility/public/${i}`;
    if (pointer.split('/').includes('*'))
      return [{ pointer: place, code: 'public_wildcard', message: 'a public pointer names one place: `*` is for values that are sealed' }];
    const covered = closed.find(([, inner]) => pointerCovers(pointer, inner));
    return covered
      ? [{ pointer: place, code: 'public_covers_sealed', message: `${pointer} is public and covers ${covered[1]}, which is ${covered[0]}` }]
      : [];
  });
}

function compileProblems(ajv: Ajv2020, map: ProcessMapDocument, key: string): Problem[] {
  const schema = mergedSchema(map, key);
  const pointer = `/processes/${key}/metadataSchema`;
  try {
    ajv.compile(schema);
    ajv.removeSchema(schema);
    return [];
  } catch (error) {
    if (error instanceof RangeError) return [{ pointer, code: 'schema_too_costly', message: 'has too many parts in one place' }];
    return [{ pointer, code: 'bad_schema', message: `is not a usable JSON Schema 2020-12: ${(error as Error).message}` }];
  }
}

/** Parts of a schema with its references written out; the largest template has under 400. Compiling takes up to a millisecond a part. */
const MAX_PARTS = 5000;
/** The same over all processes of a map. */
const MAX_MAP_PARTS = 20_000;

function costProblems(map: ProcessMapDocument): Problem[] {
  const parts = Object.keys(map.processes).map((key) => ({ key, parts: costPlan(mergedSchema(map, key)).parts }));
  const large = parts
    .filter((process) => process.parts > MAX_PARTS)
    .map(({ key }) => costly(`/processes/${key}/metadataSchema`, `written out, the schema has more than ${MAX_PARTS} parts`));
  if (large.length > 0) return large;
  const sum = parts.reduce((total, process) => total + process.parts, 0);
  return sum > MAX_MAP_PARTS ? [costly('/processes', `written out, the schemas have more than ${MAX_MAP_PARTS} parts together`)] : [];
}

const costly = (pointer: string, message: string): Problem => ({ pointer, code: 'schema_too_costly', message });

const MAX_DEPTH = 32;
const MAX_BYTES = 256 * 1024;
const MAX_PATTERN = 512;

type Report = (pointer: string, code: string, message: string) => void;

/**
 * What a tenant's schema may not do to the service (docs/spec/domain.md#process-maps): fetch something, loop, grow without bounds, or
 * need more than one pass over a text. `root` is the metadata schema with the map's `$defs` merged in.
 */
function schemaProblems(root: { readonly [keyword: string]: unknown }, at: (pointer: string) => string): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (pointer, code, message) => problems.push({ pointer: at(pointer), code, message });
  if (Buffer.byteLength(JSON.stringify(root)) > MAX_BYTES) report('', 'schema_too_large', 'a schema may have 256 KiB');
  const defs = isObject(root['$defs']) ? root['$defs'] : {};
  walk(root, root, '', 0, report);
  for (const name of Object.keys(defs)) walk(root, defs[name] as JsonSchema, `/$defs/${name}`, 1, report);
  if (problems.length === 0) refuseLoops(root, report);
  return problems;
}

function walk(root: { readonly [keyword: string]: unknown }, schema: JsonSchema, pointer: string, depth: number, report: Report): void {
  if (!isObject(schema)) return;
  if (depth > MAX_DEPTH) return report(pointer, 'schema_too_deep', `nested deeper than ${MAX_DEPTH} levels`);
  checkReferences(root, schema, pointer, report);
  checkPatterns(schema, pointer, report);
  for (const child of subschemas(schema, pointer)) walk(root, child.schema, child.pointer, depth + 1, report);
}

function checkReferences(
  root: { readonly [keyword: string]: unknown },
  schema: { readonly [keyword: string]: unknown },
  pointer: string,
  report: Report,
): void {
  for (const keyword of ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$anchor'])
    if (keyword in schema)
      report(`${pointer}/${keyword}`, 'unsupported_reference', `${keyword} is not supported; refer with "$ref": "#/$defs/…"`);
  if (pointer !== '' && '$id' in schema)
    report(`${pointer}/$id`, 'unsupported_reference', 'an inner $id would change what references mean');
  const ref = schema['$ref'];
  if (ref === undefined) return;
  if (typeof ref !== 'string' || !ref.startsWith('#'))
    report(`${pointer}/$ref`, 'remote_reference', 'a reference must stay inside the document: "#/$defs/…"');
  else if (referenced(root, ref) === undefined) report(`${pointer}/$ref`, 'dangling_reference', `${ref} does not exist`);
}

function checkPatterns(schema: { readonly [keyword: string]: unknown }, pointer: string, report: Report): void {
  if (typeof schema['pattern'] === 'string')
    patternProblem(schema['pattern'], (code, message) => report(`${pointer}/pattern`, code, message));
  if (isObject(schema['patternProperties']))
    for (const pattern of Object.keys(schema['patternProperties']))
      patternProblem(pattern, (code, message) => report(`${pointer}/patternProperties`, code, message));
}

function patternProblem(source: string, report: (code: string, message: string) => void): void {
  if (source.length > MAX_PATTERN) return report('pattern_too_long', `a pattern may have ${MAX_PATTERN} characters`);
  const pattern = knownPattern(source);
  if (isPatternFault(pattern)) report(pattern.code, pattern.message);
}

/** References that come back to themselves cost unlimited time on small documents; so a schema must be a tree. */
function refuseLoops(root: { readonly [keyword: string]: unknown }, report: Report): void {
  const done = new Set<unknown>();
  const open = new Set<unknown>();
  const visit = (schema: JsonSchema | undefined, pointer: string): void => {
    if (!isObject(schema) || done.has(schema)) return;
    if (open.has(schema)) return report(pointer, 'recursive_schema', 'a schema may not refer back to itself');
    open.add(schema);
    if (typeof schema['$ref'] === 'string') visit(referenced(root, schema['$ref']), `${pointer}/$ref`);
    for (const child of subschemas(schema, pointer)) visit(child.schema, child.pointer);
    open.delete(schema);
    done.add(schema);
  };
  visit(root, '');
}
