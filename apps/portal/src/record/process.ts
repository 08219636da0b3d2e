import type { ProcessMapDocumentView } from '#client';
import { type Filled, withAt } from './filled.js';
import { type Schema, type Shape, shapeOf } from './shape.js';

interface AssetType {
  readonly name: string;
  readonly uom: string;
  readonly gtin?: string;
}

/** What a form needs of a process; the whole is in the process map format. */
export interface Process {
  readonly processType: string;
  readonly label: string;
  readonly description?: string;
  readonly kind: 'creation' | 'observation' | 'transformation' | 'aggregation' | 'disaggregation' | 'association' | 'transfer' | 'disposal';
  readonly epcis: { readonly bizStep: string };
  readonly inputs: {
    readonly min: number;
    readonly max: number | null;
    readonly assetTypes: readonly string[];
    readonly consumption: 'full' | 'partial' | 'none' | 'contained' | 'retired';
    readonly sameCustodian?: boolean;
  };
  readonly outputs: { readonly min: number; readonly max: number; readonly assetType?: string; readonly coProducts?: readonly string[] };
  readonly tlc?: { readonly template?: string };
  readonly kdes?: readonly { readonly path?: string; readonly oneOf?: readonly string[]; readonly name: string; readonly level?: string }[];
  readonly documents?: readonly { readonly type: string; readonly required?: boolean }[];
  readonly metadataSchema: Schema;
  readonly shape: Shape & { readonly kind: 'object' };
  /** The schema has lines that say how much of each lot is used. */
  readonly hasLines: boolean;
  readonly assetTypes: Readonly<Record<string, AssetType>>;
}

interface Document {
  readonly assetTypes: Readonly<Record<string, AssetType>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly processes: Readonly<Record<string, Omit<Process, 'processType' | 'shape' | 'assetTypes' | 'hasLines'>>>;
}

export function processOf(map: ProcessMapDocumentView, processType: string): Process | null {
  const { processes, assetTypes, $defs = {} } = map.document as unknown as Document;
  const process = processes[processType];
  if (!process) return null;
  const own = (process.metadataSchema as { readonly $defs?: Readonly<Record<string, Schema>> }).$defs;
  const read = shapeOf(process.metadataSchema, { ...$defs, ...own });
  const shape = read.kind === 'object' ? read : { kind: 'object' as const, fields: [], either: [] };
  const lines = shape.fields.find(({ key }) => key === 'inputs');
  const hasLines = lines !== undefined && process.inputs.max !== 0 && (lines.required || process.inputs.consumption === 'partial');
  const fields = shape.fields.filter(({ key }) => key !== 'inputs').map((field) => withCoProducts(field, process.outputs.coProducts));
  return { ...process, processType, assetTypes, hasLines, shape: { ...shape, fields } };
}

/** Whether a process can have a lot as an input now: its kind of goods, and goods on their way are received before anything else. */
export function takesLot(
  map: ProcessMapDocumentView,
  processType: string,
  lot: { readonly assetType: string | null; readonly pendingCustodian: string | null },
): boolean {
  const process = (map.document as unknown as Document).processes[processType];
  if (!process || process.inputs.max === 0) return false;
  const { inputs, kind, epcis } = process;
  if (kind === 'transfer' && (epcis.bizStep === 'receiving') !== (lot.pendingCustodian !== null)) return false;
  return inputs.assetTypes.includes('*') || inputs.assetTypes.includes(lot.assetType ?? '');
}

/** The kinds of co-products are those of the process, not any text. */
function withCoProducts<F extends { readonly key: string; readonly shape: Shape }>(field: F, kinds: readonly string[] = []): F {
  const { key, shape } = field;
  if (key !== 'coProducts' || shape.kind !== 'list' || shape.item.kind !== 'object' || kinds.length === 0) return field;
  const fields = shape.item.fields.map((one) =>
    one.key === 'assetType' ? { ...one, shape: { kind: 'choice' as const, of: kinds } } : one,
  );
  return { ...field, shape: { ...shape, item: { ...shape.item, fields } } };
}

/** Types of documents that belong to a process, those that it asks for first. */
export const documentTypesOf = ({ documents = [] }: Process): readonly string[] =>
  documents.toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false)).map(({ type }) => type);

/** Words of a template that the service knows by itself. */
const KNOWN_WORDS = new Set(['date', 'yy', 'doy', 'week', 'seq']);

/**
 * What is needed although the schema lets it out: what the process map calls required, and the words of which the lot code is made.
 * @param hasCode whether a code is given, so that none is made
 */
export function neededBy({ kdes = [], tlc, documents = [] }: Process, hasCode: boolean): ReadonlySet<string> {
  const required = kdes.flatMap(({ path, level }) => (level === 'required' && path !== undefined ? [path] : []));
  const words = hasCode ? [] : [...(tlc?.template ?? '').matchAll(/\{([a-zA-Z]+)\}/g)].map(([, word]) => word!);
  const named = words.filter((word) => !KNOWN_WORDS.has(word)).map((word) => `/${word}`);
  const papers = documents.some(({ required: asked }) => asked) ? ['/documents'] : [];
  return new Set([...required, ...named, ...papers].map((path) => `/metadata${path}`));
}

/** What can be told beforehand: the time is now, the unit and the GTIN are those of the product. */
export function beginning({ shape, outputs, assetTypes }: Process, now: Date): Filled {
  const product = outputs.assetType === undefined ? undefined : assetTypes[outputs.assetType];
  const known: readonly (readonly [path: readonly string[], value: string | undefined])[] = [
    [['eventTime'], localTime(now)],
    [['eventTimeZoneOffset'], offsetOf(now)],
    [['quantity', 'uom'], product?.uom],
    [['gtin'], product?.gtin],
  ];
  let filled: Filled = {};
  for (const [path, value] of known)
    if (value !== undefined && shape.fields.some(({ key, required }) => key === path[0] && required)) filled = withAt(filled, path, value);
  return filled;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** As fields for a date and time take it. */
export const localTime = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;

function offsetOf(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}
