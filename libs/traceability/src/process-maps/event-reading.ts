import type { Lot } from '../contract/lots.js';
import type { PublishedProcess, Process, WellKnown } from './process-map.js';
import { MOST_PROBLEMS, atPointer, isObject, type Problem, readInstant, shortProblem } from '#kernel';

/** A lot that an event names, with what only the rules of events ask about it. */
export interface NamedLot extends Lot {
  readonly expiresAt: Date | null;
  /** 0 for goods, 1 to 8 for a container. */
  readonly depth: number;
  readonly recallAffected: boolean;
  /** Of a container: a lot inside, at any depth, that is on hold. */
  readonly heldInside: bigint | null;
  /** Event time of the event that minted it. */
  readonly madeAt: Date | null;
  /** Which assessment report its footprint was stated by. */
  readonly gwp: 'AR5' | 'AR6' | null;
}

/** The sender, and what it may know about the custodians of the lots. */
export interface Sender {
  /** EIP-55; null = the caller has no wallet. */
  readonly address: string | null;
  /** Wallets of the sender's organisation, its own included. */
  readonly colleagues: ReadonlySet<string>;
}

/** Everything that validation reads, except the submission. The caller reads it, so that the rules are pure. */
export interface ValidationContext {
  readonly published: PublishedProcess | null;
  /** Process types of the tenant, for "did you mean". */
  readonly knownProcessTypes: readonly string[];
  readonly lots: readonly NamedLot[];
  /** Keys of landed lots among those that the event would mint. */
  readonly takenKeys: ReadonlySet<string>;
  /** What other open prepared events have reserved: `key:<text of a key>`, `lot:<token id>`. */
  readonly reservations: ReadonlySet<string>;
  readonly sender: Sender;
  /** Last final block that has been applied. */
  readonly finalBlock: number;
  readonly now: Date;
  /** A free code made from the TLC template; null where none is needed. */
  readonly generated: GeneratedCode | null;
  readonly rules: TenantRules;
  /** The event is attached to an offer or an acceptance, which moves custody itself. */
  readonly attached: boolean;
}

/** A code that the service makes. */
export interface GeneratedCode {
  readonly tlc: string;
  /** Text of the key that it gives the lot. */
  readonly key: string;
  /** What it has in common with those that differ from it by their number alone. */
  readonly series: string;
  /** From 1; 0 for a code that the caller stated in the metadata, which has no other. */
  readonly number: number;
}

/** Settings of a tenant (docs/spec/domain.md#process-maps, #lot-status). */
export interface TenantRules {
  readonly blockExpired: boolean;
  readonly blockRecallAffected: boolean;
  /** `open`: every value of new events is in the clear for everybody, and can never be erased. */
  readonly contents: 'sealed' | 'open';
}

export const DEFAULT_RULES: TenantRules = { blockExpired: false, blockRecallAffected: false, contents: 'sealed' };

export const reservationOfKey = (key: string): string => `key:${key}`;
export const reservationOfLot = (tokenId: bigint): string => `lot:${tokenId}`;

export interface Quantity {
  readonly value: number;
  readonly uom: string;
}

export interface InputLine {
  readonly tokenId: number | null;
  /** A code, or a Digital Link. */
  readonly tlc: string | null;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly quantity: Quantity | null;
  readonly pointer: string;
}

export interface CoProductLine {
  readonly assetType: string;
  readonly tlc: string;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly quantity: Quantity | null;
  readonly custodian: string | null;
  readonly pointer: string;
}

interface DocumentLine {
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
  /** Of the main output. */
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly sscc: string | null;
}

/** docs/spec/domain.md#process-maps, "Reserved metadata keys"; `fields` of a process overrides where they are. */
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
  gtin: '/gtin',
  serial: '/serial',
};

/**
 * A reserved key whose value has another shape is ignored, and a warning says so (docs/spec/api.md#events-and-transactions): the
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
          `does not have the shape of the reserved key ${name}, so the service ignores it`,
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
    expiry: read('expiry', (value) => (typeof value === 'string' && isDay(value) && !Number.isNaN(Date.parse(value)) ? value : null)),
    gtin: read('gtin', (value) => (typeof value === 'string' && GTIN.test(value) ? value : null)),
    serial: read('serial', (value) => (typeof value === 'string' && value !== '' ? value : null)),
    sscc: isObject(metadata) && typeof metadata['sscc'] === 'string' ? metadata['sscc'] : null,
  };
}

const GTIN = /^(\d{8}|\d{12,14})$/;
const OFFSET = /^[+-](0\d|1[0-4]):[0-5]\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;

/** A time as RFC 3339 writes it with a zone, where it names an instant: `:60` does not, whatever calendars had a leap second. */
export function asInstant(value: unknown): Date | null {
  if (typeof value !== 'string' || !INSTANT.test(value)) return null;
  const instant = new Date(value);
  return Number.isNaN(instant.getTime()) || !isDay(value) ? null : instant;
}

/** Date would turn the 30th of February into a day of March. */
const isDay = (text: string): boolean => readInstant(text.slice(0, 10)) instanceof Date;

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
  return { tokenId, tlc, gtin: text(line['gtin']), serial: text(line['serial']), quantity, pointer };
}

function asCoProduct(line: unknown, pointer: string): CoProductLine | null {
  if (!isObject(line) || typeof line['assetType'] !== 'string' || typeof line['tlc'] !== 'string') return null;
  const quantity = line['quantity'] === undefined ? null : asQuantity(line['quantity']);
  if (line['quantity'] !== undefined && quantity === null) return null;
  const custodian = typeof line['custodian'] === 'string' ? line['custodian'] : null;
  const names = { tlc: line['tlc'], gtin: text(line['gtin']), serial: text(line['serial']) };
  return { assetType: line['assetType'], ...names, quantity, custodian, pointer };
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const asDocument = (line: unknown, pointer: string): DocumentLine | null =>
  isObject(line) && typeof line['type'] === 'string'
    ? { type: line['type'], validTo: typeof line['validTo'] === 'string' ? line['validTo'] : null, pointer }
    : null;

const asGwp = (value: unknown): 'AR5' | 'AR6' | null => (value === 'AR5' || value === 'AR6' ? value : null);

/** A finding of validation. `pointer` goes into the request body (RFC 6901). */
export interface Issue extends Problem {
  readonly severity: 'error' | 'warning';
}

export const fault = (pointer: string, code: string, message: string): Issue => ({ pointer, code, message, severity: 'error' });
export const remark = (pointer: string, code: string, message: string): Issue => ({ pointer, code, message, severity: 'warning' });

export const errorsOf = (issues: readonly Issue[]): readonly Issue[] => issues.filter((issue) => issue.severity === 'error');
export const warningsOf = (issues: readonly Issue[]): readonly Issue[] => issues.filter((issue) => issue.severity === 'warning');

/** `"<pointer>: <sentence>"`, with pointers into metadata written from there: `"/quantity/uom: must match …"` (docs/spec/domain.md#process-maps). */
export const sentenceOf = (issue: Issue): string => `${issue.pointer.replace(/^\/metadata(?=\/)/, '') || '/'}: ${issue.message}`;

/** The first warnings as sentences, and one that counts the others: a submission can have thousands, and its record keeps them. */
export function warningSentences(issues: readonly Issue[]): string[] {
  const warnings = warningsOf(issues);
  const more = warnings.length - MOST_PROBLEMS;
  const listed = warnings.slice(0, MOST_PROBLEMS).map((warning) => sentenceOf(shortProblem(warning)));
  return more > 0 ? [...listed, `/: ${more} more warnings are not listed`] : listed;
}

export const inMetadata = (pointer: string): string => `/metadata${pointer}`;
