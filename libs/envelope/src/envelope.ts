import { canonicalJson, isObject, type Json, NotCanonical } from '#kernel';
import { WHOLE_CLASSES, type WholeClass } from './classes.js';
import { ContentFault } from './fault.js';
import { isPowerOfTwo } from './tree.js';

export const ENVELOPE_KINDS = ['event', 'amendment', 'note'] as const;
export type EnvelopeKind = (typeof ENVELOPE_KINDS)[number];
export const ENVELOPE_VERSION = 2;

/** What a block is about. */
export interface EnvelopeSubject {
  readonly chainId: number;
  /** As the block writes it. */
  readonly contract: string;
  readonly kind: EnvelopeKind;
  readonly id: string;
}

/** A subject, and whose it is: not in the block, but in what each class is sealed with. */
export interface SealingSubject extends EnvelopeSubject {
  readonly tenant: string;
}

/** A stored block of version 2 (docs/spec/domain.md#sealed-contents). */
export interface Envelope extends EnvelopeSubject {
  readonly v: typeof ENVELOPE_VERSION;
  readonly public: { readonly [key: string]: Json };
  /** 0x and 64 digits; null when nothing is sealed. */
  readonly root: string | null;
  readonly leaves: number;
  readonly sealed: { readonly [name in WholeClass]?: string } & { readonly personal?: readonly string[] };
}

/** A larger block is not read, and not made. */
export const MAX_BLOCK_BYTES = 256 * 1024;
const MEMBERS = ['chainId', 'contract', 'id', 'kind', 'leaves', 'public', 'root', 'sealed', 'v'];
const CONTRACT = /^0x[0-9a-fA-F]{40}$/;
const ROOT = /^0x[0-9a-f]{64}$/;
const B64URL = /^[A-Za-z0-9_-]+$/;
const MOST_ID = 100;

/** The version that a block says it has; null when it is no JSON object. */
export function versionOf(bytes: Uint8Array): number | null {
  const value = bytes.length > MAX_BLOCK_BYTES ? null : jsonOf(bytes);
  return isObject(value) && typeof value['v'] === 'number' ? value['v'] : null;
}

/** Reads a block strictly: canonical JSON with exactly these members. @throws ContentFault */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length > MAX_BLOCK_BYTES) throw new ContentFault('not_an_envelope', 'The block has more than 256 KiB.');
  const value = jsonOf(bytes);
  if (!isObject(value)) throw new ContentFault('not_an_envelope', 'The block is no JSON object.');
  if (value['v'] !== ENVELOPE_VERSION) throw new ContentFault('other_version', `The block is not of version ${ENVELOPE_VERSION}.`);
  if (!isSame(bytes, value)) throw new ContentFault('not_an_envelope', 'The block is not canonical JSON (RFC 8785).');
  const more = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (more !== undefined) throw new ContentFault('unknown_member', `The block has an unknown member ${JSON.stringify(more.slice(0, 40))}.`);
  if (!hasForm(value)) throw new ContentFault('not_an_envelope', 'A member of the block is missing or has another form.');
  return value as unknown as Envelope;
}

/** @throws ContentFault `wrong_subject` */
export function expectSubject(envelope: Envelope, expected: Omit<EnvelopeSubject, 'id'>): void {
  const fits =
    envelope.chainId === expected.chainId &&
    envelope.contract.toLowerCase() === expected.contract.toLowerCase() &&
    envelope.kind === expected.kind;
  if (!fits) throw new ContentFault('wrong_subject', 'The block is about another chain, contract or kind of content.');
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return null;
  }
}

/** Also refuses members that are written twice, of which JSON.parse keeps one. */
function isSame(bytes: Uint8Array, value: unknown): boolean {
  try {
    return Buffer.from(canonicalJson(value)).equals(bytes);
  } catch (error) {
    if (error instanceof NotCanonical) return false;
    throw error;
  }
}

function hasForm(value: Readonly<Record<string, unknown>>): boolean {
  const { chainId, contract, kind, id, root, leaves, sealed } = value;
  return (
    Number.isSafeInteger(chainId) &&
    typeof contract === 'string' &&
    CONTRACT.test(contract) &&
    ENVELOPE_KINDS.some((one) => one === kind) &&
    typeof id === 'string' &&
    id.length <= MOST_ID &&
    isObject(value['public']) &&
    isObject(sealed) &&
    areSealed(sealed) &&
    (root === null
      ? leaves === 0 && Object.keys(sealed).length === 0
      : typeof root === 'string' && ROOT.test(root) && isPowerOfTwo(leaves as number) && Object.keys(sealed).length > 0)
  );
}

function areSealed(sealed: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(sealed).every(([name, text]) =>
    name === 'personal'
      ? Array.isArray(text) && text.length > 0 && text.every(isText)
      : WHOLE_CLASSES.some((one) => one === name) && isText(text),
  );
}

const isText = (value: unknown): boolean => typeof value === 'string' && B64URL.test(value);
