import { atPointer } from '#kernel';

type Words = Readonly<Record<string, unknown>>;

/** An event as the sheet needs it. */
export interface SheetEvent {
  readonly id: string;
  readonly cte: string | null;
  readonly kind: string | null;
  readonly eventTime: Date | null;
  readonly eventTimeZoneOffset: string | null;
  readonly location: Words | null;
  readonly metadata: Words | null;
  readonly documents: readonly Words[];
  /** Pointers of the process map to where things were from and go to. */
  readonly fields: Readonly<Record<string, string>>;
  readonly inputs: readonly SheetLine[];
  readonly outputs: readonly SheetLine[];
}

export interface SheetLine {
  readonly tokenId: number;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

export interface SheetLot {
  readonly tlc: string;
  readonly description: string | null;
  readonly gtin: string | null;
  readonly quantity: number | null;
  readonly uom: string | null;
  /** Whether its code is a traceability lot code: a code given at harvest or cooling is internal (21 CFR 1.1320(b)). */
  readonly assigned: boolean;
  /** Where the code was assigned; null where the reader may not see it. */
  readonly source: Words | null;
  readonly sourceReference: string | null;
}

const PLACE_PARTS = ['name', 'phone', 'street', 'city', 'region', 'postalCode', 'country'] as const;
const PLACE_HEADERS = ['name', 'phone', 'street', 'city', 'region', 'postal code', 'country'];
const placeColumns = (key: string, header: string): [string, string][] =>
  PLACE_PARTS.map((part, i) => [`${key}${part[0]!.toUpperCase()}${part.slice(1)}`, `${header} ${PLACE_HEADERS[i]!}`]);

/** The columns of domain-decisions §6.7: member of the JSON row, header of the sheet. */
export const SHEET_COLUMNS: readonly (readonly [key: string, header: string])[] = [
  ['eventId', 'Event ID'],
  ['cte', 'CTE'],
  ['eventDate', 'Event date'],
  ['eventTimeZone', 'Event time zone'],
  ['tlc', 'TLC'],
  ['internalLotCode', 'Internal lot code'],
  ['productDescription', 'Product description'],
  ['gtin', 'GTIN'],
  ['quantity', 'Quantity'],
  ['unit', 'Unit'],
  ...placeColumns('location', 'Location'),
  ...placeColumns('previousSource', 'Previous source'),
  ...placeColumns('subsequentRecipient', 'Subsequent recipient'),
  ...placeColumns('tlcSource', 'TLC source'),
  ['tlcSourceReference', 'TLC source reference'],
  ['referenceDocumentType', 'Reference document type'],
  ['referenceDocumentNumber', 'Reference document number'],
  ['harvestDate', 'Harvest date'],
  ['fieldName', 'Field name'],
  ['harvesterName', 'Harvester name'],
  ['harvesterPhone', 'Harvester phone'],
  ['coolingLocation', 'Cooling location'],
  ['coolingDate', 'Cooling date'],
  ['packingDate', 'Packing date'],
  ['inputTlc', 'Input TLC'],
  ['inputProduct', 'Input product'],
  ['inputQuantity', 'Input quantity'],
  ['inputUnit', 'Input unit'],
];

export type SheetRow = Readonly<Record<string, string | number | null>>;

/**
 * The rows of one event: one a lot, and where lots were made from others one a lot and input.
 * @param contents what lay in the containers that the event names, by token id
 */
export function* sheetRows(
  event: SheetEvent,
  lots: ReadonlyMap<number, SheetLot>,
  contents: ReadonlyMap<number, readonly number[]>,
): Generator<SheetRow> {
  const words = wordsOf(event);
  const made = event.outputs.length > 0 && event.kind !== 'aggregation';
  const alone = event.inputs.length === 1 && !contents.get(event.inputs[0]!.tokenId)?.length;
  const about = made ? event.outputs : event.inputs.flatMap((line) => unpacked(line, contents));
  for (const line of about) {
    const lot = lots.get(line.tokenId);
    if (!lot) continue;
    const row = { ...EMPTY, ...words, ...lotOf(event, line, lot, made || alone) };
    if (!made || event.inputs.length === 0) yield row;
    else for (const input of event.inputs) yield { ...row, ...inputOf(input, lots.get(input.tokenId)) };
  }
}

const EMPTY: SheetRow = Object.fromEntries(SHEET_COLUMNS.map(([key]) => [key, null]));

const unpacked = (line: SheetLine, contents: ReadonlyMap<number, readonly number[]>): readonly SheetLine[] =>
  contents.get(line.tokenId)?.map((tokenId) => ({ tokenId, quantity: null, uom: null })) ?? [line];

/** What holds for the whole event. */
function wordsOf({ id, cte, eventTime, eventTimeZoneOffset, location, metadata, documents, fields }: SheetEvent): SheetRow {
  const at = (pointer: string): unknown => atPointer(metadata, pointer);
  const partner = (field: 'source' | 'destination'): unknown => {
    const pointer = fields[field] ?? `/${field}`;
    return pointer === '/location' ? null : at(pointer);
  };
  const list = (name: string): string | null => documents.map((document) => text(document[name]) ?? '').join('; ') || null;
  return {
    eventId: id,
    cte,
    eventDate: localDate(eventTime, eventTimeZoneOffset),
    eventTimeZone: eventTimeZoneOffset,
    ...place('location', location),
    ...place('previousSource', partner('source')),
    ...place('subsequentRecipient', partner('destination')),
    referenceDocumentType: list('type'),
    referenceDocumentNumber: list('number'),
    harvestDate: text(at('/harvestedOn')),
    fieldName: text(at('/fieldName')),
    harvesterName: text(at('/harvester/name')),
    harvesterPhone: text(at('/harvester/phone')),
    coolingLocation: text(at('/cooledAt/name')) ?? (cte === 'cooling' ? text(location?.['name']) : null),
    coolingDate: text(at('/cooledOn')),
    packingDate: text(at('/packedOn')),
  };
}

function lotOf({ metadata }: SheetEvent, line: SheetLine, lot: SheetLot, alone: boolean): SheetRow {
  const at = (pointer: string): unknown => atPointer(metadata, pointer);
  const said = alone ? { quantity: number(at('/quantity/value')), unit: text(at('/quantity/uom')) } : null;
  const known = line.quantity !== null && Number(line.quantity) > 0 ? { quantity: Number(line.quantity), unit: line.uom } : null;
  const { quantity, unit } =
    known ?? (said?.quantity != null ? said : { quantity: lot.quantity, unit: lot.quantity === null ? null : lot.uom });
  const source = at('/tlcSource') ?? (lot.assigned ? lot.source : null);
  return {
    tlc: lot.assigned ? lot.tlc : null,
    internalLotCode: lot.assigned ? null : lot.tlc,
    productDescription: (alone ? text(at('/productDescription')) : null) ?? lot.description,
    gtin: lot.gtin,
    quantity,
    unit,
    ...place('tlcSource', source),
    tlcSourceReference: text(at('/tlcSourceReference')) ?? lot.sourceReference,
  };
}

const inputOf = ({ quantity, uom }: SheetLine, lot: SheetLot | undefined): SheetRow => ({
  inputTlc: lot?.tlc ?? null,
  inputProduct: lot?.description ?? null,
  inputQuantity: number(quantity),
  inputUnit: uom,
});

function place(key: string, words: unknown): SheetRow {
  const parts = typeof words === 'object' && words !== null ? (words as Words) : {};
  return Object.fromEntries(placeColumns(key, '').map(([column], i) => [column, text(parts[PLACE_PARTS[i]!])]));
}

/** The calendar day at the place of the event. */
export function localDate(at: Date | null, offset: string | null): string | null {
  if (!at) return null;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):(\d{2})$/.exec(offset ?? '') ?? [];
  const shift = sign ? (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000 : 0;
  return new Date(at.getTime() + shift).toISOString().slice(0, 10);
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const number = (value: unknown): number | null =>
  value === null || value === undefined || !Number.isFinite(Number(value)) ? null : Number(value);
