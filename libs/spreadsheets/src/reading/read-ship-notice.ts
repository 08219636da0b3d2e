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
export function openShipNotice(bytes: Buffer, maxRows: number): OpenedTable {
  const items = itemsIn(bytes);
  if (items.length > maxRows) throw new UnreadableFile('too_many_rows', `The file has more than ${maxRows.toLocaleString('en')} items.`);
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

function itemsIn(bytes: Buffer): readonly Values[] {
  const text = bytes.toString('utf8').trimStart();
  const separator = text[3]!;
  const end = text[105];
  if (end === undefined) throw damaged('The ISA segment of the file is not whole.');
  const segments = text.split(end).map((segment) => segment.trim().split(separator));
  const notices = segments.filter(([id]) => id === 'ST').map(([, set]) => set);
  if (notices.length === 0 || notices.some((set) => set !== '856'))
    throw damaged('The file has transactions other than ship notices (856).');
  if (segments.filter(([id]) => id === 'SE').length !== notices.length || !segments.some(([id]) => id === 'IEA'))
    throw damaged('The file ends before its last segment: a part of it is missing.');
  return readSegments(segments);
}

function readSegments(segments: readonly (readonly string[])[]): readonly Values[] {
  const levels = new Map<string, Level>();
  const items: Level[] = [];
  let here: Level = { parent: null, values: {}, isItem: false };
  const found: Values[] = [];
  for (const [id, ...elements] of segments) {
    if (id === 'ST') {
      levels.clear();
      here = { parent: null, values: {}, isItem: false };
      levels.set('', here);
    } else if (id === 'HL') {
      const [number = '', parent = '', kind = ''] = elements;
      here = { parent, values: {}, isItem: kind === 'I' };
      levels.set(number, here);
      if (here.isItem) items.push(here);
    } else if (id === 'N1') {
      const party = elements[0] === 'SF' ? 'shipFrom' : elements[0] === 'ST' ? 'shipTo' : null;
      if (party) Object.assign(here.values, partyOf(party, elements));
    } else Object.assign(here.values, READERS[id ?? '']?.(elements) ?? {});
    if (id === 'SE') for (const item of items.splice(0)) found.push(inherited(item, levels));
  }
  return found;
}

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
