import { atPointer, isObject, quantityThen, localDate } from '#kernel';
import { type Kde, type OwnEvent, type SheetProcess, isStated, ownValue } from './kde.js';
import { type Cell, SHEET_COLUMNS, type TermName, cellsOf, flat, numberOf, textOf } from './sheet-columns.js';

type Fields = Readonly<Record<string, unknown>>;

/** The values of an event that the sheet uses. */
export interface Cte {
  readonly id: string;
  /** Null where no map is known. */
  readonly process: SheetProcess | null;
  readonly kind: string | null;
  readonly eventTime: Date | null;
  readonly eventTimeZoneOffset: string | null;
  readonly location: Fields | null;
  readonly metadata: Fields | null;
  readonly documents: readonly Fields[];
  readonly inputs: readonly SheetLine[];
  readonly outputs: readonly SheetLine[];
}

interface SheetLine {
  readonly tokenId: number;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

/** A lot right after an event; decimal text, null for an unmeasured one. */
interface LotThen {
  readonly tlc: string;
  readonly remaining: string | null;
  readonly uom: string | null;
}

export interface SheetLot {
  readonly tlc: string;
  readonly description: string | null;
  readonly gtin: string | null;
  /** Whether its code is a traceability lot code: a code from harvest or cooling is internal (21 CFR 1.1320(b)). */
  readonly assigned: boolean;
  /** Where the code was assigned; null if the reader may not see it. */
  readonly source: unknown;
  readonly sourceReference: string | null;
}

/** What the rows of an event are made from, beyond the event. */
export interface SheetFacts {
  readonly lots: ReadonlyMap<number, SheetLot>;
  /** Lots right after the event. */
  readonly states: ReadonlyMap<number, LotThen>;
  /** What was in the containers of the event. */
  readonly contents: ReadonlyMap<number, readonly number[]>;
  /** Events of the inputs' own from before the event, the latest first. */
  readonly own: ReadonlyMap<number, readonly OwnEvent[]>;
}

export interface SheetRow {
  readonly [column: string]: Cell | Readonly<Record<string, Cell>>;
  /** Columns that the maps of the tenant add, by name. */
  readonly kdes: Readonly<Record<string, Cell>>;
}

/** The rows of one event: one per lot; if lots were made from others, one per lot and input. */
export function* sheetRows(event: Cte, facts: SheetFacts): Generator<SheetRow> {
  const { lots, contents } = facts;
  const common = commonOf(event);
  const made = event.outputs.length > 0 && event.kind !== 'aggregation';
  const alone = event.inputs.length === 1 && !contents.get(event.inputs[0]!.tokenId)?.length;
  const lines = made ? event.outputs : event.inputs.flatMap((line) => unpack(line, contents));
  const ofInputs = new InputElements(event, facts);
  for (const [i, line] of lines.entries()) {
    const lot = lots.get(line.tokenId);
    if (!lot) continue;
    // What an event says of its goods is about its main output, or about the one lot that it names.
    const ofLot = lotOf(event, line, { lot, state: facts.states.get(line.tokenId), named: made ? i === 0 : alone });
    if (!made) yield joined(common, ofLot, ofInputs.of(line.tokenId));
    else if (event.inputs.length === 0) yield joined(common, ofLot);
    else for (const input of event.inputs) yield joined(common, ofLot, ofInputs.of(input.tokenId), inputOf(input, lots.get(input.tokenId)));
  }
}

type Cells = Readonly<Record<string, Cell>>;
/** Parsed, so that the engine gives it a shape, which copies keep: with one, a page is made and written in a third of the time. */
const EMPTY = JSON.parse(JSON.stringify({ ...Object.fromEntries(SHEET_COLUMNS.map(([key]) => [key, null])), kdes: null })) as Cells;

interface Stated {
  readonly cells: Cells;
  readonly kdes: Cells;
}

/** A row is copied once: it has some eighty cells. */
function joined(common: SheetRow, ofLot: Cells, ofInput: Stated | null = null, input: Cells | null = null): SheetRow {
  const row = Object.assign({ ...common }, ofLot, ofInput?.cells, input);
  return ofInput && Object.keys(ofInput.kdes).length > 0 ? Object.assign(row, { kdes: { ...common.kdes, ...ofInput.kdes } }) : row;
}

const unpack = (line: SheetLine, contents: SheetFacts['contents']): readonly SheetLine[] =>
  contents.get(line.tokenId)?.map((tokenId) => ({ tokenId, quantity: null, uom: null })) ?? [line];

/** Terms about one lot: with several lots, what an event says is not said of each. */
const OF_THE_LOT: ReadonlySet<TermName | null> = new Set<TermName>([
  ...(['quantity', 'productDescription', 'tlcSource', 'tlcSourceReference'] as const),
]);

/** The columns with the same value in every row of the event. */
function commonOf({ id, process, eventTime, eventTimeZoneOffset, location, metadata, documents }: Cte): SheetRow {
  const partner = (field: 'source' | 'destination'): unknown => {
    const pointer = process?.fields[field] ?? `/${field}`;
    return pointer === '/location' ? null : atPointer(metadata, pointer);
  };
  const list = (name: string): string | null => documents.map((document) => textOf(document[name]) ?? '').join('; ') || null;
  const { cells, kdes } = stated(
    (process?.kdes ?? []).filter(({ ofInput, term }) => !ofInput && !OF_THE_LOT.has(term)),
    ({ pointer }) => atPointer(metadata, pointer),
  );
  return Object.assign(
    { ...EMPTY },
    {
      eventId: id,
      cte: process?.cte ?? null,
      eventDate: eventTime && localDate(eventTime, eventTimeZoneOffset),
      eventTimeZone: eventTimeZoneOffset,
      ...cellsOf('location', location),
      ...cellsOf('previousSource', partner('source')),
      ...cellsOf('subsequentRecipient', partner('destination')),
      referenceDocumentType: list('type'),
      referenceDocumentNumber: list('number'),
      ...cells,
      kdes,
    },
  );
}

function stated(kdes: readonly Kde[], valueOf: (kde: Kde) => unknown): Stated {
  const found = { cells: {} as Record<string, Cell>, kdes: {} as Record<string, Cell> };
  for (const kde of kdes) {
    const value = valueOf(kde);
    if (!isStated(value)) continue;
    if (kde.term === null) found.kdes[kde.name] = flat(value);
    else Object.assign(found.cells, cellsOf(kde.term, value));
  }
  return found;
}

function lotOf(
  event: Cte,
  line: SheetLine,
  { lot, state, named }: { readonly lot: SheetLot; readonly state: LotThen | undefined; readonly named: boolean },
): Cells {
  const { metadata, process, inputs, outputs } = event;
  const fields = process?.fields ?? {};
  const said = (term: TermName): unknown =>
    atPointer(metadata, process?.kdes.find((kde) => kde.term === term)?.pointer ?? fields[term] ?? `/${term}`);
  const preferred = <T>(ofEvent: T | null, ofLot: T | null): T | null => (named ? (ofEvent ?? ofLot) : (ofLot ?? ofEvent));
  const { quantity, uom } = quantityThen({ metadata, fields, inputs, outputs }, line, state);
  return {
    tlc: lot.assigned ? lot.tlc : null,
    internalLotCode: lot.assigned ? null : lot.tlc,
    productDescription: (named ? textOf(said('productDescription')) : null) ?? lot.description,
    gtin: lot.gtin,
    quantity: numberOf(quantity),
    unit: quantity === null ? null : uom,
    ...cellsOf('tlcSource', preferred(said('tlcSource') ?? null, lot.assigned ? lot.source : null)),
    tlcSourceReference: preferred(textOf(said('tlcSourceReference')), lot.sourceReference),
  };
}

/** Key data elements that each input has for itself: two harvests in one packed lot have two fields and two harvesters. */
class InputElements {
  private readonly kdes: readonly Kde[];
  private readonly lines = new Map<unknown, Fields>();
  private readonly remembered = new Map<number, ReturnType<typeof stated>>();
  /** Inputs that state an element for themselves. */
  private readonly stating = new Map<Kde, ReadonlySet<number>>();

  constructor(
    private readonly event: Cte,
    private readonly facts: SheetFacts,
  ) {
    this.kdes = (event.process?.kdes ?? []).filter(({ ofInput }) => ofInput);
    const lines = this.kdes.length === 0 ? null : atPointer(event.metadata, event.process?.fields['inputs'] ?? '/inputs');
    for (const line of Array.isArray(lines) ? lines.filter(isObject) : []) {
      this.lines.set(line['tokenId'], line);
      this.lines.set(line['tlc'], line);
    }
  }

  of(tokenId: number): ReturnType<typeof stated> {
    const known = this.remembered.get(tokenId) ?? stated(this.kdes, (kde) => this.valueOf(kde, tokenId));
    this.remembered.set(tokenId, known);
    return known;
  }

  /** What the event says of all inputs together is true of one only if there is no other, or none says anything for itself. */
  private valueOf(kde: Kde, tokenId: number): unknown {
    const stating = this.stating.get(kde) ?? this.whoStates(kde);
    this.stating.set(kde, stating);
    if (stating.has(tokenId)) return this.ofItsOwn(kde, tokenId);
    return stating.size > 0 ? undefined : atPointer(this.event.metadata, kde.pointer);
  }

  private whoStates(kde: Kde): ReadonlySet<number> {
    const tokens = this.event.inputs.flatMap(({ tokenId }) => [tokenId, ...(this.facts.contents.get(tokenId) ?? [])]);
    return new Set(tokens.filter((tokenId) => isStated(this.ofItsOwn(kde, tokenId))));
  }

  private ofItsOwn(kde: Kde, tokenId: number): unknown {
    const line = this.lines.get(tokenId) ?? this.lines.get(this.facts.lots.get(tokenId)?.tlc ?? '');
    const said = line && atPointer(line, kde.pointer);
    return isStated(said) ? said : ownValue(kde, this.facts.own.get(tokenId) ?? []);
  }
}

const inputOf = ({ quantity, uom }: SheetLine, lot: SheetLot | undefined): Cells => ({
  inputTlc: lot?.tlc ?? null,
  inputProduct: lot?.description ?? null,
  inputQuantity: numberOf(quantity),
  inputUnit: uom,
});
