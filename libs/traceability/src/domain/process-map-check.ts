import { atPointer, escapePointer, type Problem } from '#kernel';
import type { ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { gs1CheckDigitHolds } from './check-digits.js';
import { isObject } from './json-schema.js';
import type { Process, ProcessMapDocument } from './process-map.js';
import { faultsOf, mergedSchema, newAjv } from './schema-compiler.js';
import { patternProblem, schemaProblems } from './schema-safety.js';

/** Compiling the schema of a process takes some 15 ms, which nothing else runs in. */
const MAX_PROCESSES = 200;

/** Says what stands against publishing a document (domain-decisions §1, "Reject at publish"). */
export class ProcessMapCheck {
  private readonly format: ValidateFunction;
  private readonly ajv = newAjv();

  /** @param formatSchema templates/process-map.schema.json */
  constructor(private readonly formatSchema: { readonly [keyword: string]: unknown }) {
    this.format = newAjv({ strictTypes: false }).compile(formatSchema);
  }

  problems(document: unknown): readonly Problem[] {
    if (isObject(document) && isObject(document['processes']) && Object.keys(document['processes']).length > MAX_PROCESSES)
      return [{ pointer: '/processes', code: 'too_many_processes', message: `a map may have ${MAX_PROCESSES} processes` }];
    const faults = faultsOf(this.formatSchema, this.format, document);
    if (faults.length > 0) return faults;
    const map = document as ProcessMapDocument;
    return [
      ...sharedKeys(map),
      ...assetTypeProblems(map),
      ...Object.keys(map.processes).flatMap((key) => processProblems(this.ajv, map, key)),
    ];
  }
}

/** Keys are unique ignoring case, so that nobody confuses RICE_MILLING with rice_milling. */
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

function processProblems(ajv: Ajv2020, map: ProcessMapDocument, key: string): Problem[] {
  const process = map.processes[key]!;
  const at = `/processes/${key}`;
  const schema = mergedSchema(map, key);
  const place = (pointer: string) => placeIn(map, process, at, pointer);
  const problems = [...unknownAssetTypes(map, process, at), ...schemaProblems(schema, place), ...boundsProblems(process, at)];
  if (process.tlc?.pattern !== undefined)
    patternProblem(process.tlc.pattern, (code, message) => problems.push({ pointer: `${at}/tlc/pattern`, code, message }));
  return problems.length > 0 ? problems : compileProblems(ajv, schema, `${at}/metadataSchema`);
}

/** Shared definitions stand once in the map; a fault there is reported there. */
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

function compileProblems(ajv: Ajv2020, schema: { readonly [keyword: string]: unknown }, pointer: string): Problem[] {
  try {
    ajv.compile(schema);
    ajv.removeSchema(schema);
    return [];
  } catch (error) {
    return [{ pointer, code: 'bad_schema', message: `is not a usable JSON Schema 2020-12: ${(error as Error).message}` }];
  }
}
