import { escapePointer, isObject } from '#kernel';
import type { RecordedEvent as RecordShape } from '../contract.js';
import { EVENT_KEY, FURTHER_VALUES, headerOf } from '../imports/mapping-proposal.js';
import type { ProcessField } from '../imports/process-fields.js';

type Value = string | number | boolean | null | readonly string[];
type Line = Record<string, Value>;

/** How events become the lines of a table. */
export interface EventTable {
  readonly columns: readonly string[];
  readonly linesOf: (event: RecordShape) => readonly Line[];
}

const codesOf = (lots: RecordShape['inputs']): readonly string[] => lots.map(({ tlc, tokenId }) => tlc ?? `#${tokenId ?? ''}`);
const placeOf = ({ location }: RecordShape, name: string): Value => {
  const value = (location as Readonly<Record<string, unknown>> | null)?.[name];
  return typeof value === 'string' ? value : null;
};

/** Of events of several processes. */
const GENERAL: Readonly<Record<string, (event: RecordShape) => Value>> = {
  eventId: ({ id }) => id,
  processType: ({ processType }) => processType,
  processMapName: ({ processMapName }) => processMapName,
  processMapVersion: ({ processMapVersion }) => processMapVersion,
  kind: ({ kind }) => kind,
  status: ({ status }) => status,
  eventTime: ({ eventTime }) => eventTime,
  eventTimeZoneOffset: ({ eventTimeZoneOffset }) => eventTimeZoneOffset,
  recordTime: ({ recordTime }) => recordTime,
  landedAt: ({ landedAt }) => landedAt,
  organisation: ({ actor }) => actor.orgId,
  actor: ({ actor }) => actor.address,
  inputs: ({ inputs }) => codesOf(inputs),
  outputs: ({ outputs }) => codesOf(outputs),
  outputQuantity: ({ outputs }) => outputs[0]?.quantity ?? null,
  outputUom: ({ outputs }) => outputs[0]?.uom ?? null,
  locationName: (event) => placeOf(event, 'name'),
  locationCountry: (event) => placeOf(event, 'country'),
  locationGln: (event) => placeOf(event, 'gln'),
  metadata: ({ metadata }) => metadata && JSON.stringify(metadata),
  ipfsCid: ({ ipfsCid }) => ipfsCid,
  dataHash: ({ dataHash }) => dataHash,
  txHash: ({ txHash }) => txHash,
  supersedes: ({ supersedes }) => supersedes,
};

/** What a template does not ask for. No property of a process has a blank in its header. */
const ABOUT: Readonly<Record<string, (event: RecordShape) => Value>> = {
  [EVENT_KEY]: ({ id }) => id,
  'event status': ({ status }) => status,
  'event map version': ({ processMapVersion }) => processMapVersion,
  'recorded by': ({ actor }) => actor.orgId,
  'recorded at': ({ recordTime }) => recordTime,
  'landed at': ({ landedAt }) => landedAt,
  'content hash': ({ dataHash }) => dataHash,
  'transaction hash': ({ txHash }) => txHash,
  'corrected event': ({ supersedes }) => supersedes,
};

/** @param fields of the process, whose template has the same columns; null for events of any process */
export function eventTable(fields: readonly ProcessField[] | null): EventTable {
  if (fields === null)
    return {
      columns: Object.keys(GENERAL),
      linesOf: (event) => [Object.fromEntries(Object.entries(GENERAL).map(([name, valueOf]) => [name, valueOf(event)]))],
    };
  const headers = new Map(fields.map((field) => [field.pointer, headerOf(field)]));
  return {
    columns: [...headers.values(), ...Object.keys(ABOUT), FURTHER_VALUES],
    linesOf: (event) => processLines(event, headers),
  };
}

/**
 * A line for the event, and one for each further item of its longest list. Those have the key and items of lists only, so that sums over a
 * column count nothing twice.
 */
function processLines(event: RecordShape, headers: ReadonlyMap<string, string>): readonly Line[] {
  const lines: Line[] = [Object.fromEntries(Object.entries(ABOUT).map(([name, valueOf]) => [name, valueOf(event)]))];
  const further: Record<string, unknown> = {};
  const put = ({ pointer, column, item, value }: Leaf): void => {
    const header = headers.get(column);
    if (header === undefined || (typeof value === 'object' && value !== null)) further[pointer] = value;
    else (lines[item] ??= { [EVENT_KEY]: event.id })[header] = value as Value;
  };
  for (const [item, { tlc }] of event.inputs.entries())
    if (tlc !== null) put({ pointer: `/inputTokenIds/${item}`, column: '/inputTokenIds/0', item, value: tlc });
  const code = event.outputs[0]?.tlc ?? null;
  if (code !== null) put({ pointer: '/outputTlc', column: '/outputTlc', item: 0, value: code });
  for (const leaf of leavesOf(event.metadata, { pointer: '/metadata', column: '/metadata', item: null })) put(leaf);
  if (Object.keys(further).length > 0) lines[0]![FURTHER_VALUES] = JSON.stringify(further);
  // An item without values leaves no line.
  return lines.filter((line) => line !== undefined);
}

interface Leaf {
  readonly pointer: string;
  /** The pointer with 0 for the place in the outermost list. */
  readonly column: string;
  /** The place in the outermost list. */
  readonly item: number;
  readonly value: unknown;
}

function* leavesOf(
  value: unknown,
  at: { readonly pointer: string; readonly column: string; readonly item: number | null },
): Generator<Leaf> {
  if (value === null || value === undefined) return;
  const { pointer, column, item } = at;
  if (Array.isArray(value) && value.length > 0)
    for (const [i, inner] of value.entries())
      yield* leavesOf(inner, { pointer: `${pointer}/${i}`, column: `${column}/${item === null ? 0 : i}`, item: item ?? i });
  else if (isObject(value) && Object.keys(value).length > 0)
    for (const [name, inner] of Object.entries(value)) {
      const part = `/${escapePointer(name)}`;
      yield* leavesOf(inner, { pointer: pointer + part, column: column + part, item });
    }
  else yield { pointer, column, item: item ?? 0, value };
}

const RECORD = [
  ...(['id', 'processType', 'processMapName', 'processMapVersion', 'kind', 'containmentMode', 'status', 'eventTime'] as const),
  ...(['eventTimeZoneOffset', 'recordTime', 'landedAt', 'actor', 'inputs', 'outputs', 'location', 'metadata', 'documents'] as const),
  ...(['ipfsCid', 'dataHash', 'txHash', 'supersedes', 'senderMismatch', 'errorDeclaration'] as const),
] satisfies readonly (keyof RecordShape)[];

/** An event as a line of NDJSON has it. */
export const recordOf = (event: RecordShape): object => Object.fromEntries(RECORD.map((name) => [name, event[name]]));
