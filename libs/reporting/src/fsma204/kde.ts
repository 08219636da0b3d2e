import { atPointer } from '#kernel';
import { SHEET_COLUMNS, type TermName, USUAL_TERMS, columnsOf, isTerm } from './sheet-columns.js';

/** A key data element as a process map declares it (docs/spec/domain.md#process-maps). */
export interface DeclaredKde {
  readonly path?: string;
  readonly oneOf?: readonly string[];
  readonly name: string;
  readonly ref?: string;
  readonly column?: string;
  readonly of?: 'event' | 'input';
}

/** A process of a published map with the key data elements that the sheet shows. */
export interface SheetProcess {
  readonly processType: string;
  /** Critical tracking event; null where the map assigns none. */
  readonly cte: string | null;
  /** Its codes are traceability lot codes: those from harvest and cooling are internal (21 CFR 1.1320(b)). */
  readonly assigns: boolean;
  readonly fields: Readonly<Record<string, string>>;
  /** Pointers that everybody in the tenant may read. */
  readonly publicPointers: readonly string[];
  readonly kdes: readonly Kde[];
  /** It makes lots of others. */
  readonly makesOf: boolean;
}

/** Where a process keeps a value of the sheet. */
export interface Kde {
  readonly pointer: string;
  /** Null = a column of its own. */
  readonly term: TermName | null;
  readonly name: string;
  /** Each input has its own value, which its own events state. */
  readonly ofInput: boolean;
}

export interface DeclaredProcess {
  readonly processType: string;
  readonly fsma204: { readonly cte: string; readonly assignsTlc: boolean } | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly publicPointers: readonly string[];
  readonly kdes: readonly DeclaredKde[];
  readonly kind: string | null;
}

/** Before a lot code is assigned, a lot has only a code of its grower (21 CFR 1.1320(b)). */
const BEFORE_PACKING = new Set(['harvesting', 'cooling']);

export function sheetProcess({ processType, fsma204, fields, publicPointers, kdes, kind }: DeclaredProcess): SheetProcess {
  const found = kdes.flatMap((kde) => pointersOf(kde).map((pointer) => kdeAt(kde, pointer))).filter((kde) => kde !== null);
  return {
    processType,
    cte: fsma204?.cte ?? null,
    assigns: fsma204 === null || fsma204.assignsTlc || !BEFORE_PACKING.has(fsma204.cte),
    fields,
    publicPointers,
    kdes: found,
    makesOf: kind === 'transformation',
  };
}

const pointersOf = ({ path, oneOf }: DeclaredKde): readonly string[] => oneOf ?? (path === undefined ? [] : [path]);

/** Elements of another regulation, which name no column, are no part of the sheet. */
function kdeAt({ name, ref, column, of, oneOf }: DeclaredKde, pointer: string): Kde | null {
  const ofInput = of === 'input';
  // A choice of several elements cannot name one column for all of them.
  if (column !== undefined && !oneOf)
    return { pointer, term: isTerm(column) ? column : null, name: isTerm(column) ? name : column, ofInput };
  const usual = USUAL_TERMS[pointer.slice(pointer.lastIndexOf('/') + 1)];
  if (usual) return { pointer, term: usual, name, ofInput };
  return ref?.startsWith('21 CFR 1.13') && !STRUCTURAL.test(pointer) ? { pointer, term: null, name, ofInput } : null;
}

/** Inputs and documents have columns already. */
const STRUCTURAL = /^\/(inputs|documents)(\/|$)/;

/** The columns that maps add to those of every sheet, in the order in which they come. */
export const extraColumns = (processes: Iterable<SheetProcess>): string[] => [
  ...new Set([...processes].flatMap(({ kdes }) => kdes.filter(({ term }) => term === null).map(({ name }) => name))),
];

/** The critical tracking events of 21 CFR 1.1325 to 1.1350, in the order of the rule. */
const CTES = ['harvesting', 'cooling', 'initial_packing', 'first_land_based_receiving', 'shipping', 'receiving', 'transformation'];
/** What a row of any critical tracking event has. */
const OF_EVERY_CTE = new Set<TermName>(['productDescription', 'quantity', 'location']);
/** Who the previous source or the subsequent recipient is, processes may say in `fields` alone. */
const PARTNERS: Readonly<Record<string, TermName>> = { source: 'previousSource', destination: 'subsequentRecipient' };

/** A worksheet for each critical tracking event of the maps, with the columns that its processes ask for. */
export function sheetsOf(processes: readonly SheetProcess[]): { readonly name: string; readonly columns: readonly string[] }[] {
  return CTES.flatMap((cte) => {
    const its = processes.filter((process) => process.cte === cte);
    if (its.length === 0) return [];
    const terms = new Set<TermName | null>([...OF_EVERY_CTE, ...its.flatMap(({ kdes }) => kdes.map(({ term }) => term))]);
    for (const { fields } of its)
      for (const [name, term] of Object.entries(PARTNERS)) if (fields[name] !== undefined && fields[name] !== '/location') terms.add(term);
    if (its.some(({ assigns }) => assigns)) terms.add('tlcSource').add('tlcSourceReference');
    const keys = new Set([...ALWAYS, ...[...terms].flatMap((term) => (term === null ? [] : columnsOf(term).map(([key]) => key)))]);
    if (its.some(({ makesOf }) => makesOf)) for (const key of ['inputTlc', 'inputProduct', 'inputQuantity', 'inputUnit']) keys.add(key);
    return [{ name: cte, columns: [...SHEET_COLUMNS.filter(([key]) => keys.has(key)).map(([, header]) => header), ...extraColumns(its)] }];
  });
}

const ALWAYS = [
  ...['eventId', 'cte', 'eventDate', 'eventTimeZone', 'tlc', 'internalLotCode', 'gtin'],
  ...['referenceDocumentType', 'referenceDocumentNumber'],
];

/** An event of a lot's own, from before it was used. */
export interface OwnEvent {
  readonly tokenId: number;
  readonly block: number;
  readonly logIndex: number;
  readonly process: SheetProcess;
  readonly metadata: unknown;
  /** The reader may see all of it, not only what is public. */
  readonly readable: boolean;
}

/** Whether two processes name the same element of the rule. */
export const isSame = (a: Kde, b: Kde): boolean => (a.term === null ? b.term === null && a.name === b.name : a.term === b.term);

/** What a lot's own events say under a column, the latest first; undefined where none says anything. */
export function ownValue(kde: Kde, events: readonly OwnEvent[]): unknown {
  for (const { process, metadata, readable } of events)
    for (const own of process.kdes) {
      if (!isSame(own, kde) || !(readable || isPublic(own.pointer, process))) continue;
      const value = atPointer(metadata, own.pointer);
      if (isStated(value)) return value;
    }
  return undefined;
}

const isPublic = (pointer: string, { publicPointers }: SheetProcess): boolean =>
  publicPointers.some((open) => pointer === open || pointer.startsWith(`${open}/`));

export const isStated = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
