import { escapePointer, type Problem, isObject } from '#kernel';
import semver from 'semver';
import type { Process, ProcessMapDocument } from './process-map.js';

/** What may change in a patch, anywhere in the document: labels and texts. */
const TEXTS = new Set(['label', 'description', 'title', '$comment', 'examples', 'rationale', 'ref', '$schema']);

/** Whether a version of the format is above a published one. Nothing is above one that cannot be read: the format has nine digits a part. */
export const isHigher = (version: string, than: string): boolean => semver.valid(than) !== null && semver.gt(version, than);

/**
 * The version rule of docs/spec/domain.md#process-maps, as far as two texts can be compared: a patch changes labels and texts; a minor adds
 * processes and optional fields and widens limits; what could refuse a payload that was valid before needs a major. A change
 * whose effect cannot be seen counts as such.
 */
export function versionProblems(older: ProcessMapDocument, newer: ProcessMapDocument): Problem[] {
  const change = semver.diff(older.version, newer.version);
  if (change === 'major') return [];
  const found: Problem[] = [];
  const breaks = (pointer: string, why: string) =>
    found.push({
      pointer,
      code: 'breaking_change',
      message: `${why}; an older payload could become invalid, so the major version must rise`,
    });
  if (change === 'patch') {
    const at = firstDifference(textless(older, true), textless(newer, true), '');
    return at === null
      ? []
      : [{ pointer: at, code: 'not_a_patch', message: 'a patch changes labels and texts only; raise the minor or the major version' }];
  }
  compareAssetTypes(older, newer, breaks);
  for (const key of Object.keys(older.$defs ?? {})) {
    const now = newer.$defs?.[key];
    if (now !== undefined) compareSchemas(older.$defs![key], now, `/$defs/${escapePointer(key)}`, breaks);
  }
  for (const key of Object.keys(older.processes)) {
    const now = Object.hasOwn(newer.processes, key) ? newer.processes[key] : undefined;
    if (now) compareProcesses(older.processes[key]!, now, `/processes/${key}`, breaks);
    else breaks(`/processes/${key}`, 'the process is gone');
  }
  return found;
}

type Breaks = (pointer: string, why: string) => void;

function compareAssetTypes(older: ProcessMapDocument, newer: ProcessMapDocument, breaks: Breaks): void {
  for (const [key, type] of Object.entries(older.assetTypes)) {
    const now = Object.hasOwn(newer.assetTypes, key) ? newer.assetTypes[key] : undefined;
    if (!now) breaks(`/assetTypes/${key}`, 'the asset type is gone');
    else if (now.uom !== type.uom) breaks(`/assetTypes/${key}/uom`, 'the unit is another one');
    else if (now.passport && type.passport && now.granularity !== type.granularity)
      breaks(`/assetTypes/${key}/granularity`, 'its passports are about something else');
  }
}

function compareProcesses(older: Process, newer: Process, at: string, breaks: Breaks): void {
  if (older.kind !== newer.kind || older.containmentMode !== newer.containmentMode) breaks(`${at}/kind`, 'the kind is another one');
  if (newer.inputs.min > older.inputs.min) breaks(`${at}/inputs/min`, 'needs more inputs');
  if ((newer.inputs.max ?? Infinity) < (older.inputs.max ?? Infinity)) breaks(`${at}/inputs/max`, 'takes fewer inputs');
  if (!newer.inputs.assetTypes.includes('*') && !covers(newer.inputs.assetTypes, older.inputs.assetTypes))
    breaks(`${at}/inputs/assetTypes`, 'no longer takes an asset type');
  if (newer.inputs.consumption !== older.inputs.consumption) breaks(`${at}/inputs/consumption`, 'draws on its inputs otherwise');
  if (newer.inputs.sameCustodian && !older.inputs.sameCustodian) breaks(`${at}/inputs/sameCustodian`, 'asks for one custodian');
  if (newer.outputs.min > older.outputs.min || newer.outputs.max < older.outputs.max)
    breaks(`${at}/outputs`, 'makes another number of outputs');
  if (newer.outputs.assetType !== older.outputs.assetType) breaks(`${at}/outputs/assetType`, 'makes another asset type');
  if (!covers(newer.outputs.coProducts ?? [], older.outputs.coProducts ?? []))
    breaks(`${at}/outputs/coProducts`, 'no longer makes a co-product');
  if (newer.tlc?.pattern !== undefined && newer.tlc.pattern !== older.tlc?.pattern)
    breaks(`${at}/tlc/pattern`, 'the pattern is another one');
  if (older.tlc?.template !== undefined && newer.tlc?.template === undefined) breaks(`${at}/tlc/template`, 'codes are no longer generated');
  if (!covers(newer.requiredRoles, older.requiredRoles)) breaks(`${at}/requiredRoles`, 'a role may no longer record it');
  if (firstDifference(older.fields ?? {}, newer.fields ?? {}, '') !== null) breaks(`${at}/fields`, 'well-known values are found elsewhere');
  compareSchemas(older.metadataSchema, newer.metadataSchema, `${at}/metadataSchema`, breaks);
}

const covers = (wide: readonly string[], narrow: readonly string[]): boolean => narrow.every((item) => wide.includes(item));

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];

/** Reports where `newer` may refuse what `older` accepts. */
function compareSchemas(older: unknown, newer: unknown, at: string, breaks: Breaks): void {
  if (newer === true || older === false || same(older, newer)) return;
  if (!isObject(older) || !isObject(newer)) return breaks(at, 'the schema is another one');
  for (const keyword of new Set([...Object.keys(older), ...Object.keys(newer)])) {
    if (TEXTS.has(keyword) || same(older[keyword], newer[keyword])) continue;
    compareKeyword(keyword, older, newer, `${at}/${escapePointer(keyword)}`, breaks);
  }
}

function compareKeyword(
  keyword: string,
  older: { readonly [keyword: string]: unknown },
  newer: { readonly [keyword: string]: unknown },
  at: string,
  breaks: Breaks,
): void {
  const [was, is] = [older[keyword], newer[keyword]];
  if (keyword === 'properties') return compareProperties(was, is, older, at, breaks);
  if (keyword === '$defs') {
    if (isObject(was) && isObject(is))
      for (const key of Object.keys(was)) if (key in is) compareSchemas(was[key], is[key], `${at}/${escapePointer(key)}`, breaks);
    return;
  }
  if (is === undefined && !['properties', '$ref', 'if', 'then', 'else', 'not', 'patternProperties'].includes(keyword)) return; // one limit fewer
  if (UPPER.includes(keyword) && typeof was === 'number' && (is as number) > was) return;
  if (LOWER.includes(keyword) && typeof was === 'number' && (is as number) < was) return;
  if (
    (keyword === 'enum' || keyword === 'type') &&
    was !== undefined &&
    [was].flat().every((item) => [is].flat().some((other) => same(item, other)))
  )
    return;
  if (keyword === 'required' && Array.isArray(is) && covers(Array.isArray(was) ? (was as string[]) : [], is as string[])) return;
  if ((keyword === 'items' || keyword === 'additionalProperties') && was !== undefined) return compareSchemas(was, is, at, breaks);
  if (keyword === 'allOf' && Array.isArray(was) && Array.isArray(is) && was.length === is.length)
    return was.forEach((schema, i) => compareSchemas(schema, is[i], `${at}/${i}`, breaks));
  breaks(at, `${keyword} is another one`);
}

/** A new field is welcome as long as it is optional, which `required` decides; a field that is gone breaks a closed object only. */
function compareProperties(was: unknown, is: unknown, older: { readonly [keyword: string]: unknown }, at: string, breaks: Breaks): void {
  const [before, now] = [isObject(was) ? was : {}, isObject(is) ? is : {}];
  for (const key of Object.keys(before)) {
    if (key in now) compareSchemas(before[key], now[key], `${at}/${escapePointer(key)}`, breaks);
    else if (older['additionalProperties'] === false) breaks(`${at}/${escapePointer(key)}`, 'the field is gone');
  }
}

const same = (a: unknown, b: unknown): boolean => firstDifference(textless(a), textless(b), '') === null;

/** Without labels and texts. `name` is a text on a map, an asset type and a KDE; inside a schema it may be a field of that name. */
function textless(value: unknown, ofMap = false, under = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => textless(item, ofMap, under));
  if (!isObject(value)) return value;
  const inNames = under === 'properties' || under === '$defs' || under === 'processes' || under === 'assetTypes';
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => inNames || !(TEXTS.has(key) || (ofMap && ['name', 'version'].includes(key))))
      .map(([key, item]) => [key, textless(item, ofMap, inNames ? '' : key)]),
  );
}

/** Pointer of the first place where two JSON values differ, or null. */
function firstDifference(a: unknown, b: unknown, at: string): string | null {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return at;
    for (const [i, item] of a.entries()) {
      const found = firstDifference(item, b[i], `${at}/${i}`);
      if (found !== null) return found;
    }
    return null;
  }
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const found = key in a && key in b ? firstDifference(a[key], b[key], `${at}/${escapePointer(key)}`) : `${at}/${escapePointer(key)}`;
      if (found !== null) return found;
    }
    return null;
  }
  return a === b ? null : at;
}
