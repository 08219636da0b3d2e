import { atPointer } from '#kernel';
import { type Issue, inMetadata, remark } from './issue.js';
import { isObject } from './json-schema.js';
import type { Process, WellKnown } from './process-map.js';

export interface Quantity {
  readonly value: number;
  readonly uom: string;
}

export interface InputLine {
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly quantity: Quantity | null;
  readonly pointer: string;
}

export interface CoProductLine {
  readonly assetType: string;
  readonly tlc: string;
  readonly quantity: Quantity | null;
  readonly custodian: string | null;
  readonly pointer: string;
}

export interface DocumentLine {
  readonly type: string;
  readonly validTo: string | null;
  readonly pointer: string;
}

/** The well-known values of one event's metadata, wherever its process keeps them; null where there is none. */
export interface Reading {
  readonly eventTime: Date | null;
  readonly eventTimeZoneOffset: string | null;
  readonly quantity: Quantity | null;
  readonly inputs: readonly InputLine[] | null;
  readonly coProducts: readonly CoProductLine[];
  readonly losses: readonly Quantity[];
  readonly location: { readonly [key: string]: unknown } | null;
  readonly documents: readonly DocumentLine[];
  readonly gwp: 'AR5' | 'AR6' | null;
  readonly expiry: string | null;
}

/** domain-decisions §1, "Reserved metadata keys"; `fields` of a process overrides where they are. */
export const placeOf = (process: Process, name: WellKnown): string => process.fields?.[name] ?? DEFAULTS[name];

const DEFAULTS: Readonly<Record<WellKnown, string>> = {
  eventTime: '/eventTime',
  eventTimeZoneOffset: '/eventTimeZoneOffset',
  quantity: '/quantity',
  inputs: '/inputs',
  coProducts: '/coProducts',
  losses: '/losses',
  location: '/location',
  source: '/source',
  destination: '/destination',
  geo: '/location/geo',
  documents: '/documents',
  footprint: '/footprint',
  expiry: '/bestBefore',
  productDescription: '/productDescription',
};

/**
 * A reserved key of another shape than the service knows means nothing to it, and a remark says so (api-decisions §3): the
 * map's schema is what decides whether it is allowed.
 */
export function readMetadata(metadata: unknown, process: Process, remarks: Issue[]): Reading {
  const read = <T>(name: WellKnown, parse: (value: unknown, pointer: string) => T | null): T | null => {
    const pointer = placeOf(process, name);
    const value = atPointer(metadata, pointer);
    if (value === undefined || value === null) return null;
    const parsed = parse(value, pointer);
    if (parsed === null)
      remarks.push(
        remark(
          inMetadata(pointer),
          'reserved_key_ignored',
          `does not have the shape of the reserved key ${name}, so it means nothing to the service`,
        ),
      );
    return parsed;
  };
  const quantity = read('quantity', asQuantity);
  return {
    eventTime: read('eventTime', asInstant),
    eventTimeZoneOffset: read('eventTimeZoneOffset', (value) => (typeof value === 'string' && OFFSET.test(value) ? value : null)),
    quantity,
    inputs: read('inputs', linesOf(asInputLine)),
    coProducts: read('coProducts', linesOf(asCoProduct)) ?? [],
    losses:
      read(
        'losses',
        linesOf((line) => (isObject(line) ? asQuantity(line['quantity']) : null)),
      ) ?? [],
    location: read('location', (value) => (isObject(value) ? value : null)),
    documents: read('documents', linesOf(asDocument)) ?? [],
    gwp: read('footprint', (value) => (isObject(value) ? { gwp: asGwp(value['gwp']) } : null))?.gwp ?? null,
    expiry: read('expiry', (value) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null)),
  };
}

const OFFSET = /^[+-](0\d|1[0-4]):[0-5]\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;

/** A time as RFC 3339 writes it with a zone, where it names an instant: `:60` does not, whatever calendars had a leap second. */
export function asInstant(value: unknown): Date | null {
  if (typeof value !== 'string' || !INSTANT.test(value)) return null;
  const instant = new Date(value);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

export function asQuantity(value: unknown): Quantity | null {
  if (!isObject(value)) return null;
  const { value: amount, uom } = value;
  return typeof amount === 'number' && amount > 0 && typeof uom === 'string' ? { value: amount, uom } : null;
}

const linesOf =
  <T>(parse: (line: unknown, pointer: string) => T | null) =>
  (value: unknown, pointer: string): readonly T[] | null => {
    if (!Array.isArray(value)) return null;
    const lines = value.map((line: unknown, i) => parse(line, `${pointer}/${i}`));
    return lines.every((line) => line !== null) ? lines : null;
  };

function asInputLine(line: unknown, pointer: string): InputLine | null {
  if (!isObject(line)) return null;
  const tokenId = Number.isSafeInteger(line['tokenId']) ? (line['tokenId'] as number) : null;
  const tlc = typeof line['tlc'] === 'string' ? line['tlc'] : null;
  const quantity = line['quantity'] === undefined ? null : asQuantity(line['quantity']);
  if ((tokenId === null && tlc === null) || (line['quantity'] !== undefined && quantity === null)) return null;
  return { tokenId, tlc, quantity, pointer };
}

function asCoProduct(line: unknown, pointer: string): CoProductLine | null {
  if (!isObject(line) || typeof line['assetType'] !== 'string' || typeof line['tlc'] !== 'string') return null;
  const quantity = line['quantity'] === undefined ? null : asQuantity(line['quantity']);
  if (line['quantity'] !== undefined && quantity === null) return null;
  const custodian = typeof line['custodian'] === 'string' ? line['custodian'] : null;
  return { assetType: line['assetType'], tlc: line['tlc'], quantity, custodian, pointer };
}

const asDocument = (line: unknown, pointer: string): DocumentLine | null =>
  isObject(line) && typeof line['type'] === 'string'
    ? { type: line['type'], validTo: typeof line['validTo'] === 'string' ? line['validTo'] : null, pointer }
    : null;

const asGwp = (value: unknown): 'AR5' | 'AR6' | null => (value === 'AR5' || value === 'AR6' ? value : null);
