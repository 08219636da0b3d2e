import {
  bytesOf,
  Classes,
  type ClassRule,
  ContentTooLarge,
  hashesOf,
  sealContent,
  type SealedContent,
  type SealingSubject,
} from '#envelope';
import { type Json, NotCanonical } from '#kernel';
import { bytesOfKeys, keysOfBytes } from './packed-keys.js';

/** A content that is to be sealed. */
export interface ContentToSeal {
  readonly content: { readonly [key: string]: Json };
  /** Null: everything is public. */
  readonly classes: Classes | null;
  readonly subject: SealingSubject;
}

/** A content that cannot be sealed has the reason: NotCanonical or ContentTooLarge. */
export type Sealing = SealedContent | NotCanonical | ContentTooLarge;

export function sealOne({ content, classes, subject }: ContentToSeal): Sealing {
  try {
    return sealContent(content, classes, subject);
  } catch (error) {
    if (error instanceof NotCanonical || error instanceof ContentTooLarge) return error;
    throw error;
  }
}

/** Contents for a thread. One text is copied several times as fast as its objects. */
export interface SealingRequest {
  readonly id: number;
  /** JSON of the contents, their subjects and the place of their rules. */
  readonly contents: string;
  /** JSON of the rules of each `Classes`, once; of none `null`. */
  readonly rules: readonly string[];
}

interface RequestedContent {
  readonly content: ContentToSeal['content'];
  readonly subject: SealingSubject;
  readonly rules: number;
}

/** Lengths in `bytes`: block, keys, hashes. */
type Lengths = readonly [number, number, number];
/** Why a content cannot be sealed; without a pointer it is too large. */
interface Refusal {
  readonly pointer: string | null;
  readonly code: NotCanonical['code'];
  readonly message: string;
}
type Part = Lengths | Refusal;

export interface SealingResponse {
  readonly id: number;
  /** Null where something else failed. */
  readonly parts: readonly Part[] | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function requestOf(id: number, all: readonly ContentToSeal[]): SealingRequest {
  const classes = [...new Set(all.map((one) => one.classes))];
  const places = new Map(classes.map((one, i) => [one, i]));
  const contents = all.map(({ content, subject, classes: own }): RequestedContent => ({ content, subject, rules: places.get(own)! }));
  return { id, contents: JSON.stringify(contents), rules: classes.map((one) => JSON.stringify(one?.rules ?? null)) };
}

const MOST_CLASSES = 100;

/** Seals in a thread, which keeps the classes that it was asked for. */
export class SealingWork {
  private readonly known = new Map<string, Classes | null>();

  perform({ id, contents, rules }: SealingRequest): SealingResponse {
    const classes = rules.map((one) => this.classesOf(one));
    const all = (JSON.parse(contents) as readonly RequestedContent[]).map((one) => sealOne({ ...one, classes: classes[one.rules]! }));
    const buffers: Uint8Array[] = [];
    const parts = all.map((one): Part => {
      if (one instanceof NotCanonical) return { pointer: one.pointer, code: one.code, message: one.message };
      if (one instanceof ContentTooLarge) return { pointer: null, code: 'not_json', message: one.message };
      const own = [one.bytes, bytesOfKeys(one.keys), bytesOf(one.hidden)] as const;
      buffers.push(...own);
      return [own[0].length, own[1].length, own[2].length];
    });
    const bytes = new Uint8Array(buffers.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const buffer of buffers) {
      bytes.set(buffer, at);
      at += buffer.length;
    }
    return { id, parts, bytes };
  }

  private classesOf(rules: string): Classes | null {
    const known = this.known.get(rules);
    if (known !== undefined) return known;
    if (this.known.size >= MOST_CLASSES) this.known.clear();
    const own = JSON.parse(rules) as readonly ClassRule[] | null;
    const made = own && new Classes(own);
    this.known.set(rules, made);
    return made;
  }
}

/** What a thread sealed. */
export function sealingsOf(parts: readonly Part[], bytes: Uint8Array): readonly Sealing[] {
  let at = 0;
  const next = (length: number): Buffer => {
    const own = Buffer.from(bytes.buffer, bytes.byteOffset + at, length);
    at += length;
    return own;
  };
  return parts.map((part): Sealing => {
    if (!isSealed(part))
      return part.pointer === null ? new ContentTooLarge(part.message) : new NotCanonical(part.pointer, part.code, part.message);
    const [block, keys, hidden] = part;
    return { bytes: next(block), keys: keysOfBytes(next(keys))!, hidden: hashesOf(next(hidden)) };
  });
}

const isSealed = (part: Part): part is Lengths => Array.isArray(part);
