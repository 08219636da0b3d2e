import type { Problem } from '#kernel';
import safeRegex from 'safe-regex2';
import { isObject, referenced, subschemas } from './json-schema.js';
import type { JsonSchema } from './process-map.js';

const MAX_DEPTH = 32;
const MAX_BYTES = 256 * 1024;
const MAX_PATTERN = 512;
/** Schema nodes that one document may visit; the largest template needs under 400. */
const MAX_VISITS = 20_000;

type Report = (pointer: string, code: string, message: string) => void;

/**
 * What a tenant's schema may not do to the service (domain-decisions §1): fetch something, loop, grow without bounds, or
 * backtrack for ever. `root` is the metadata schema with the map's `$defs` merged in.
 */
export function schemaProblems(root: { readonly [keyword: string]: unknown }, at: (pointer: string) => string): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (pointer, code, message) => problems.push({ pointer: at(pointer), code, message });
  if (Buffer.byteLength(JSON.stringify(root)) > MAX_BYTES) report('', 'schema_too_large', 'a schema may have 256 KiB');
  const defs = isObject(root['$defs']) ? root['$defs'] : {};
  walk(root, root, '', 0, report);
  for (const name of Object.keys(defs)) walk(root, defs[name] as JsonSchema, `/$defs/${name}`, 1, report);
  if (problems.length === 0) boundVisits(root, report);
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

export function patternProblem(pattern: string, report: (code: string, message: string) => void): void {
  if (pattern.length > MAX_PATTERN) return report('pattern_too_long', `a pattern may have ${MAX_PATTERN} characters`);
  try {
    RegExp(pattern, 'u');
  } catch {
    return report('bad_pattern', `${pattern} is not a regular expression`);
  }
  if (!safeRegex(pattern)) report('unsafe_pattern', `${pattern} repeats inside a repetition, so that matching could take for ever`);
}

/**
 * References that come back to themselves, and those that double at every step, cost time without end on small documents;
 * so a schema must be a tree that, written out, stays below a bound.
 */
function boundVisits(root: { readonly [keyword: string]: unknown }, report: Report): void {
  const cost = new Map<unknown, number>();
  const open = new Set<unknown>();
  const visit = (schema: JsonSchema | undefined, pointer: string): number => {
    if (!isObject(schema)) return 1;
    const known = cost.get(schema);
    if (known !== undefined) return known;
    if (open.has(schema)) {
      report(pointer, 'recursive_schema', 'a schema may not refer back to itself');
      return 1;
    }
    open.add(schema);
    let sum = 1;
    if (typeof schema['$ref'] === 'string') sum += visit(referenced(root, schema['$ref']), `${pointer}/$ref`);
    for (const child of subschemas(schema, pointer)) sum += visit(child.schema, child.pointer);
    open.delete(schema);
    cost.set(schema, sum);
    return sum;
  };
  if (visit(root, '') > MAX_VISITS) report('', 'schema_too_large', `written out, the schema has more than ${MAX_VISITS} parts`);
}
