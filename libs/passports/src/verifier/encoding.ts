import { sha256 as sha256Of } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** Bytes as `0x` and lower-case hexadecimal digits: the form that files, chains and this verifier compare. */
export type Hex = string;

export const utf8 = utf8ToBytes;
export const sha256 = (bytes: Uint8Array): Hex => `0x${bytesToHex(sha256Of(bytes))}`;
/** Keccak-256 as Ethereum uses it. */
export const keccak256 = (bytes: Uint8Array): Hex => `0x${bytesToHex(keccak_256(bytes))}`;

export function bytesOf(hex: Hex): Uint8Array {
  if (!/^0x([0-9a-f]{2})*$/.test(hex)) throw new Error(`${hex.slice(0, 20)} is not hexadecimal`);
  return hexToBytes(hex.slice(2));
}

const BASE_32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** CIDv1, raw codec, sha2-256, base32. */
export function cidOf(dataHash: Hex): string {
  const bytes = [0x01, 0x55, 0x12, 0x20, ...bytesOf(dataHash)];
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return `b${(bits.match(/.{1,5}/g) ?? []).map((five) => BASE_32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')}`;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Members = Readonly<Record<string, Json>>;

/** RFC 8785: members by UTF-16 code units, numbers and texts as ECMAScript writes them. */
export function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = value as Members;
  return `{${Object.keys(members)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(members[key]!)}`)
    .join(',')}}`;
}

/** A member that ought to be a text. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : canonical(value ?? null));

/** Values at `a.b.c`; a dot may separate two names or be part of one. */
export function valuesAt(here: Json, name: string): Json[] {
  if (here === null || typeof here !== 'object') return [];
  return Object.entries(here as Members).flatMap(([key, value]) =>
    key === name ? [value] : name.startsWith(`${key}.`) ? valuesAt(value, name.slice(key.length + 1)) : [],
  );
}

/** Whether all that is shown is in the whole, of which parts may be kept for authorities. */
export function within(shown: Json, whole: Json): boolean {
  if (shown === null || typeof shown !== 'object') return canonical(shown) === canonical(whole);
  if (whole === null || typeof whole !== 'object' || Array.isArray(shown) !== Array.isArray(whole)) return false;
  if (Array.isArray(shown)) return shown.every((item: Json) => (whole as readonly Json[]).some((one) => within(item, one)));
  return Object.entries(shown).every(([key, item]) => Object.hasOwn(whole, key) && within(item, (whole as Members)[key]!));
}

export function objectsIn(value: Json): Members[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Members, ...inner];
}

export const textsIn = (value: Json): string[] =>
  typeof value === 'string' ? [value] : value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);

/** Months of the times among these texts, in any time zone that is named there too. */
export function monthsIn(texts: readonly string[]): string[] {
  const offsets = [0, ...texts.flatMap((text) => (/^[+-]\d\d:\d\d$/.test(text) ? [minutesOf(text)] : []))];
  return texts.flatMap((text) => {
    const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? [] : offsets.map((minutes) => new Date(time + minutes * 60_000).toISOString().slice(0, 7));
  });
}

const minutesOf = (offset: string): number =>
  (offset.startsWith('-') ? -1 : 1) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6)));

/** Local dates of an instant: the earth has three at most. @param seconds since the epoch */
export function datesAround(seconds: number): string[] {
  if (seconds <= 0 || seconds > 8e12) return [];
  return [-12, 0, 14].map((hours) => new Date((seconds + hours * 3_600) * 1_000).toISOString().slice(0, 10));
}
