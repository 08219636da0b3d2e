/** A cell: null where nothing is known. */
export type Cell = string | number | null;

/** What a column is made from: a text, a location description (21 CFR 1.1310), a quantity with its unit, a person with a phone number. */
type Shape = 'text' | 'place' | 'quantity' | 'person';

interface Term {
  readonly header: string;
  readonly shape: Shape;
}

const text = (header: string): Term => ({ header, shape: 'text' });
const place = (header: string): Term => ({ header, shape: 'place' });

/**
 * What a key data element of a process map may be (`column`), in the order of the sheet: the terms of 21 CFR 1.1325 to 1.1350. Other key
 * data elements, such as those of sprouts (1.1330(b)), have a column of their own name behind these.
 */
export const TERMS = {
  productDescription: text('Product description'),
  quantity: { header: 'Quantity', shape: 'quantity' },
  location: place('Location'),
  previousSource: place('Previous source'),
  subsequentRecipient: place('Subsequent recipient'),
  tlcSource: place('TLC source'),
  tlcSourceReference: text('TLC source reference'),
  commodity: text('Commodity'),
  variety: text('Variety'),
  species: text('Species or market name'),
  farm: place('Farm'),
  fieldName: text('Field name'),
  growingContainer: text('Growing container name'),
  harvester: { header: 'Harvester', shape: 'person' },
  harvestDate: text('Harvest date'),
  harvestDateEnd: text('Last harvest date'),
  catchLocations: text('Harvest locations'),
  coolingLocation: place('Cooling location'),
  coolingDate: text('Cooling date'),
  dateReceived: text('Date received'),
  quantityReceived: { header: 'Quantity received', shape: 'quantity' },
  packingDate: text('Packing date'),
  landingDate: text('Landing date'),
  shippingDate: text('Shipping date'),
  transformationDate: text('Transformation date'),
} as const satisfies Readonly<Record<string, Term>>;

export type TermName = keyof typeof TERMS;
export const isTerm = (name: string): name is TermName => Object.hasOwn(TERMS, name);

/** The term of a key data element whose map names none, by the last key of its pointer. */
export const USUAL_TERMS: Readonly<Record<string, TermName>> = {
  ...(Object.fromEntries(Object.keys(TERMS).map((name) => [name, name])) as Record<TermName, TermName>),
  source: 'previousSource',
  destination: 'subsequentRecipient',
  recipient: 'subsequentRecipient',
  growingFarm: 'farm',
  harvestedOn: 'harvestDate',
  cooledAt: 'coolingLocation',
  cooledOn: 'coolingDate',
  receivedOn: 'dateReceived',
  packedOn: 'packingDate',
  landedOn: 'landingDate',
  shippedOn: 'shippingDate',
  completedOn: 'transformationDate',
};

const PLACE_PARTS = ['name', 'phone', 'street', 'city', 'region', 'postalCode', 'country'] as const;
const PLACE_HEADERS = ['name', 'phone', 'street', 'city', 'region', 'postal code', 'country'];

/** Members of a row with their headers: one or several for each term. */
export function columnsOf(name: TermName): readonly (readonly [key: string, header: string])[] {
  const { header, shape }: Term = TERMS[name];
  switch (shape) {
    case 'text':
      return [[name, header]];
    case 'quantity':
      return [
        [name, header],
        [unitKey(name), name === 'quantity' ? 'Unit' : `${header} unit`],
      ];
    case 'person':
      return [
        [`${name}Name`, `${header} name`],
        [`${name}Phone`, `${header} phone`],
      ];
    default:
      return PLACE_PARTS.map((part, i) => [partKey(name, part), `${header} ${PLACE_HEADERS[i]!}`]);
  }
}

const unitKey = (name: TermName): string => (name === 'quantity' ? 'unit' : name.replace('quantity', 'unit'));
const partKey = (name: string, part: string): string => `${name}${part[0]!.toUpperCase()}${part.slice(1)}`;

const PLACE_KEYS = new Map(
  (Object.keys(TERMS) as TermName[]).map((name) => [name, PLACE_PARTS.map((part) => [part, partKey(name, part)] as const)] as const),
);

/** The columns that every sheet has: member of the JSON row, header (docs/spec/domain.md#fsma-204). */
export const SHEET_COLUMNS: readonly (readonly [key: string, header: string])[] = [
  ['eventId', 'Event ID'],
  ['cte', 'CTE'],
  ['eventDate', 'Event date'],
  ['eventTimeZone', 'Event time zone'],
  ['tlc', 'TLC'],
  ['internalLotCode', 'Internal lot code'],
  ...columnsOf('productDescription'),
  ['gtin', 'GTIN'],
  ...(['quantity', 'location', 'previousSource', 'subsequentRecipient', 'tlcSource', 'tlcSourceReference'] as const).flatMap(columnsOf),
  ['referenceDocumentType', 'Reference document type'],
  ['referenceDocumentNumber', 'Reference document number'],
  ...(Object.keys(TERMS) as TermName[]).slice(7).flatMap(columnsOf),
  ['inputTlc', 'Input TLC'],
  ['inputProduct', 'Input product'],
  ['inputQuantity', 'Input quantity'],
  ['inputUnit', 'Input unit'],
];

export const NUMBER_COLUMNS: ReadonlySet<string> = new Set(['quantity', 'quantityReceived', 'inputQuantity']);

/** The cells of a value under its term; empty where the value has another shape. */
export function cellsOf(name: TermName, value: unknown): Readonly<Record<string, Cell>> {
  const parts = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
  switch (TERMS[name].shape) {
    case 'text':
      return { [name]: flat(value) };
    case 'quantity':
      return { [name]: numberOf(parts['value']), [unitKey(name)]: textOf(parts['uom']) };
    case 'person':
      return { [`${name}Name`]: textOf(parts['name']), [`${name}Phone`]: textOf(parts['phone']) };
    default:
      return placeCells(name, parts);
  }
}

function placeCells(name: TermName, parts: Readonly<Record<string, unknown>>): Readonly<Record<string, Cell>> {
  const cells: Record<string, Cell> = {};
  for (const [part, key] of PLACE_KEYS.get(name)!) cells[key] = textOf(parts[part]);
  return cells;
}

/** Any value in one cell: parts of an object with commas, items of a list with semicolons. */
export function flat(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return joined(value, '; ');
  if (typeof value === 'object' && value !== null) return joined(Object.values(value), ', ');
  return textOf(value);
}

const joined = (values: readonly unknown[], by: string): string | null => values.flatMap((value) => flat(value) ?? []).join(by) || null;

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
export const numberOf = (value: unknown): number | null =>
  value === null || value === undefined || typeof value === 'object' || !Number.isFinite(Number(value)) ? null : Number(value);
