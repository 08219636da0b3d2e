import { type ContentState, type EnvelopeSubject, type Path, pointerOf } from '#envelope';
import { type Hex, isObject, canonicalJson } from '#kernel';
import { ERROR_REASONS, type ErrorReason } from '../contract/preparation.js';
import { type KeyedLine, type Line, linesByHash } from '../events/event-record.js';

/** The stored envelope of an event (docs/spec/domain.md#process-maps), as far as landing uses it. */
export interface ExternalContent {
  readonly version: 1 | 2;
  readonly state: ContentState;
  /** Pointers to its values that were erased here. */
  readonly erased: readonly string[];
  readonly processType: string;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly processMapCid: string | null;
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  readonly outputs: readonly Line[];
  /** They again, by the hashes of their codes. */
  readonly lines: ReadonlyMap<string, KeyedLine>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly eventTime: Date | null;
  readonly eventTimeZoneOffset: string | null;
  /** In content that corrects another event: the reason of the correction. */
  readonly reason: ErrorReason | null;
}

const MAX_BYTES = 256 * 1024;
const MAX_WORD = 200;

/** The event that a content must be about. */
export interface ContentSubject {
  readonly chainId: number;
  readonly contract: string;
  readonly named: (eventId: string) => boolean;
}

/**
 * Reads content of version 1 that somebody else stored. Null unless it is canonical JSON, small enough, storable and about this very
 * event of this very contract: otherwise the hash on chain points at something that proves nothing about it.
 */
export function externalContent(bytes: Uint8Array, about: ContentSubject): ExternalContent | null {
  const envelope = canonicalObject(bytes);
  if (!envelope || envelope['v'] !== 1 || envelope['chainId'] !== about.chainId) return null;
  if (lower(envelope['contract']) !== about.contract.toLowerCase() || !about.named(lower(envelope['eventId']))) return null;
  return isObject(envelope['metadata']) ? wordsOf({ version: 1, state: 'open', erased: [] }, envelope) : null;
}

/** A block of version 2, as far as it could be opened. */
interface OpenedContent {
  readonly envelope: EnvelopeSubject;
  readonly content: Readonly<Record<string, unknown>>;
  readonly state: ContentState;
  readonly held: { readonly erased: readonly Path[] } | null;
}

/** The same of a sealed content: what is closed to us is not among its words. */
export function openedContent({ envelope, content, state, held }: OpenedContent, about: ContentSubject): ExternalContent | null {
  if (envelope.chainId !== about.chainId || envelope.kind === 'note') return null;
  if (envelope.contract.toLowerCase() !== about.contract.toLowerCase() || !about.named(envelope.id.toLowerCase())) return null;
  // PostgreSQL's jsonb has no U+0000.
  if (JSON.stringify(content).includes(String.raw`\u0000`)) return null;
  return wordsOf({ version: 2, state, erased: (held?.erased ?? []).map(pointerOf) }, content);
}

function wordsOf(
  format: Pick<ExternalContent, 'version' | 'state' | 'erased'>,
  envelope: Readonly<Record<string, unknown>>,
): ExternalContent | null {
  const metadata = isObject(envelope['metadata']) ? envelope['metadata'] : {};
  const processType = word(envelope['processType']);
  if (processType === null) return null;
  const outputs = Array.isArray(envelope['outputs']) ? envelope['outputs'].filter(isObject).map(outputLine) : [];
  return {
    ...format,
    processType,
    processMapName: word(envelope['processMap']),
    processMapVersion: word(envelope['processMapVersion']),
    processMapCid: word(envelope['processMapCid']),
    outputTlc: word(envelope['outputTlc']),
    outputCustodian: word(envelope['outputCustodian']),
    outputs,
    lines: linesByHash(outputs),
    metadata,
    eventTime: instant(metadata['eventTime']),
    eventTimeZoneOffset: offset(metadata['eventTimeZoneOffset']),
    reason: ERROR_REASONS.find((reason) => reason === envelope['reason']) ?? null,
  };
}

function canonicalObject(bytes: Uint8Array): Record<string, unknown> | null {
  if (bytes.length > MAX_BYTES) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    // PostgreSQL's jsonb has no U+0000.
    return isObject(value) && isCanonical(text, value) && !text.includes(String.raw`\u0000`) ? value : null;
  } catch {
    return null;
  }
}

const outputLine = (output: Record<string, unknown>): Line => ({
  tlc: word(output['tlc']),
  gtin: word(output['gtin']),
  serial: word(output['serial']),
  key: word(output['key']),
  assetType: word(output['assetType']),
  uom: word(output['uom']),
});

const word = (value: unknown): string | null => (typeof value === 'string' && value.length <= MAX_WORD ? value : null);
const lower = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

export function instant(value: unknown): Date | null {
  if (typeof value !== 'string') return null;
  const date = new Date(value);
  const storable = !Number.isNaN(date.getTime()) && /^\d{4}-/.test(date.toISOString());
  return storable ? date : null;
}

export const offset = (value: unknown): string | null => (typeof value === 'string' && /^[+-]\d{2}:\d{2}$/.test(value) ? value : null);

/** Both ways in which an envelope may write the id: the UUID, or the bytes32 of the chain. @param said in small letters */
export const namesEvent = (said: string, uuid: string, bytes: Hex): boolean => said === uuid || said === bytes.toLowerCase();

/** Nesting up to which it is read here; `canonicalJson` goes deeper. */
const DEPTH = 20;

/**
 * Whether a text is the canonical form of the value that was read from it. Almost always it is, and JSON's own writer gives the same text
 * in a third of the time: the order of keys aside, it writes as RFC 8785 asks. Whatever is out of the ordinary is written canonically
 * and compared. @throws NotCanonical
 */
export const isCanonical = (text: string, value: unknown): boolean =>
  (!text.includes(String.raw`\ud`) && isOrdinary(value, 0) && JSON.stringify(value) === text) || canonicalJson(value) === text;

/** Keys in order, and no number that was rounded when it was read. */
function isOrdinary(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isOrdinary(item, depth + 1));
  let before: string | null = null;
  for (const key of Object.keys(value)) {
    if ((before !== null && key <= before) || !isOrdinary((value as Record<string, unknown>)[key], depth + 1)) return false;
    before = key;
  }
  return true;
}
