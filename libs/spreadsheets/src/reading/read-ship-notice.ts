import { yieldToEventLoop } from '#kernel';
import { type Cell, type MergedCells, type OpenedTable, type SheetRow, UnreadableFile } from '../table.js';

/** An X12 interchange begins with its ISA segment, whose length is fixed. */
export const isEdi = (bytes: Buffer): boolean => /^\s*ISA[^A-Za-z0-9\s]/.test(bytes.toString('latin1', 0, 64));

const COLUMNS = [
  ...['shipment', 'shippedOn', 'shippedAt', 'billOfLading', 'purchaseOrder', 'sscc', 'gtin', 'lot', 'quantity', 'unit'],
  ...['shipFromName', 'shipFromGln', 'shipToName', 'shipToGln'],
] as const;
type Column = (typeof COLUMNS)[number];
type Values = Partial<Record<Column, string>>;

interface Level {
  readonly parent: string | null;
  readonly values: Values;
  readonly isItem: boolean;
}

/**
 * X12 856 (ship notice): one row an item, with what its pack, order and shipment say. Rows are numbered as they follow the header.
 * @throws UnreadableFile
 */
export async function openShipNotice(bytes: Buffer, maxRows: number): Promise<OpenedTable> {
  const items = await itemsIn(bytes, maxRows);
  const header: SheetRow = { row: 1, cells: COLUMNS.map(textCell) };
  const rows = items.map((values, i): SheetRow => ({ row: i + 2, cells: COLUMNS.map((name) => textCell(values[name])) }));
  return {
    format: 'edi856',
    sheets: [],
    remarks: [],
    separator: null,
    async *rows() {
      yield [header, ...rows];
    },
    merged: (): readonly MergedCells[] => [],
  };
}

const textCell = (text: string | undefined): Cell | null => (text === undefined || text === '' ? null : { kind: 'text', text });

const damaged = (message: string): UnreadableFile => new UnreadableFile('file_damaged', message);

/** Characters of a segment; the standard has no longer one. */
const LONGEST_SEGMENT = 10_000;
/** Shipment, order, tare, pack, item, and some more. */
const MOST_LEVELS = 20;
/** Segments between which the event loop gets control. */
const AT_ONCE = 10_000;

function* segmentsIn(text: string, separator: string, end: string): Generator<readonly string[]> {
  for (let [from, to] = [0, 0]; from < text.length; from = to + 1) {
    to = text.indexOf(end, from);
    if (to < 0) to = text.length;
    if (to - from > LONGEST_SEGMENT) throw damaged(`A segment has more than ${LONGEST_SEGMENT.toLocaleString('en')} characters.`);
    yield text.slice(from, to).trim().split(separator);
  }
}

async function itemsIn(bytes: Buffer, most: number): Promise<readonly Values[]> {
  const text = bytes.toString('utf8').trimStart();
  const end = text[105];
  if (end === undefined) throw damaged('The ISA segment of the file is not whole.');
  const notices = new Notices(most);
  let read = 0;
  for (const segment of segmentsIn(text, text[3]!, end)) {
    notices.read(segment);
    if (++read % AT_ONCE === 0) await yieldToEventLoop();
  }
  return notices.end();
}

/** Collects the items of ship notices, segment by segment. */
class Notices {
  private readonly levels = new Map<string, Level>();
  private readonly items: Level[] = [];
  private readonly found: Values[] = [];
  private here: Level = { parent: null, values: {}, isItem: false };
  private begun = 0;
  private ended = 0;
  private isWhole = false;

  constructor(private readonly most: number) {}

  /** @throws UnreadableFile */
  read([id = '', ...elements]: readonly string[]): void {
    if (id === 'ST') this.begin(elements);
    else if (id === 'HL') this.open(elements);
    else if (id === 'IEA') this.isWhole = true;
    else if (id === 'N1') {
      const party = elements[0] === 'SF' ? 'shipFrom' : elements[0] === 'ST' ? 'shipTo' : null;
      if (party) Object.assign(this.here.values, partyOf(party, elements));
    } else if (Object.hasOwn(READERS, id)) Object.assign(this.here.values, READERS[id]!(elements));
    if (id !== 'SE') return;
    this.ended++;
    for (const item of this.items.splice(0)) this.found.push(inherited(item, this.levels));
  }

  /** @throws UnreadableFile */
  end(): readonly Values[] {
    if (this.begun === 0) throw damaged(OTHERS);
    if (this.ended !== this.begun || !this.isWhole) throw damaged('The file ends before its last segment: a part of it is missing.');
    return this.found;
  }

  private begin([set]: readonly string[]): void {
    if (set !== '856') throw damaged(OTHERS);
    this.begun++;
    this.levels.clear();
    this.here = { parent: null, values: {}, isItem: false };
    this.levels.set('', this.here);
  }

  private open([number = '', parent = '', kind = '']: readonly string[]): void {
    this.here = { parent, values: {}, isItem: kind === 'I' };
    this.levels.set(number, this.here);
    if (!this.here.isItem) return;
    this.items.push(this.here);
    if (this.found.length + this.items.length > this.most)
      throw new UnreadableFile('too_many_rows', `The file has more than ${this.most.toLocaleString('en')} items.`);
  }
}

const OTHERS = 'The file has transactions other than ship notices (856).';

/** What a level says, and what those around it say. */
function inherited(item: Level, levels: ReadonlyMap<string, Level>): Values {
  let values = item.values;
  const seen = new Set<Level>([item]);
  for (
    let above = levels.get(item.parent ?? '');
    above && !seen.has(above);
    above = above.parent === null ? undefined : levels.get(above.parent)
  ) {
    seen.add(above);
    if (seen.size > MOST_LEVELS) throw damaged(`The levels of the file are nested deeper than ${MOST_LEVELS}.`);
    values = { ...above.values, ...values };
  }
  return values;
}

const partyOf = (party: 'shipFrom' | 'shipTo', [, name = '', qualifier = '', code = '']: readonly string[]): Values => ({
  ...(name !== '' && { [`${party}Name`]: name }),
  ...(qualifier === 'UL' && code !== '' && { [`${party}Gln`]: code }),
});

/** Qualifiers of product ids that are GTINs: consumer units, cases, and the 14 digits of both. */
const GTINS = new Set(['UP', 'EN', 'UK', 'UI', 'UA']);

const READERS: Readonly<Record<string, (elements: readonly string[]) => Values>> = {
  BSN: ([, shipment = '', date = '', time = '']) => ({
    shipment,
    shippedOn: dayOf(date),
    ...(time !== '' && { shippedAt: `${dayOf(date)}T${clockOf(time)}` }),
  }),
  PRF: ([purchaseOrder = '']) => ({ purchaseOrder }),
  REF: ([qualifier, number = '']) => (qualifier === 'BM' ? { billOfLading: number } : qualifier === 'LT' ? { lot: number } : {}),
  MAN: ([qualifier, mark = '']) => (qualifier === 'GM' ? { sscc: mark.length === 20 ? mark.slice(2) : mark } : {}),
  SN1: ([, quantity = '', unit = '']) => ({ quantity, unit: UNIT_CODES[unit] ?? unit }),
  LIN: (elements) => {
    const values: Values = {};
    for (let i = 1; i + 1 < elements.length; i += 2) {
      if (GTINS.has(elements[i]!)) values.gtin = elements[i + 1]!;
      if (elements[i] === 'LT') values.lot = elements[i + 1]!;
    }
    return values;
  },
};

/** X12 element 355, where it differs from UNECE Recommendation 20. */
const UNIT_CODES: Readonly<Record<string, string>> = {
  LB: 'LBR',
  KG: 'KGM',
  GR: 'GRM',
  EA: 'EA',
  CA: 'XCS',
  CS: 'XCS',
  PC: 'H87',
  TN: 'STN',
  MP: 'TNE',
  LT: 'LTR',
};

const dayOf = (text: string): string => text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
const clockOf = (text: string): string =>
  text.replace(/^(\d{2})(\d{2})(\d{2})?.*$/, (_, h: string, m: string, s?: string) => `${h}:${m}:${s ?? '00'}`);
