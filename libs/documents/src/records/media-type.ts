/** What the bytes of a file are; `refused`: in words, why it is not stored. */
export type FileKind = { readonly mediaType: string } | { readonly refused: string };

const kind = (mediaType: string): FileKind => ({ mediaType });
const refused = (what: string): FileKind => ({ refused: what });

/** Every type that a stored file may have. */
export const MEDIA_TYPES: readonly string[] = [
  ...['application/pdf', 'application/xml', 'application/json', 'text/csv', 'text/plain'],
  ...['image/png', 'image/jpeg', 'image/tiff', 'image/webp'],
  ...['text', 'spreadsheet', 'presentation'].map((name) => `application/vnd.oasis.opendocument.${name}`),
  ...['wordprocessingml.document', 'spreadsheetml.sheet', 'presentationml.presentation'].map(
    (name) => `application/vnd.openxmlformats-officedocument.${name}`,
  ),
];

interface Signature {
  readonly starts: readonly string[];
  readonly is: FileKind;
}

/** In Latin-1. Order matters where one is the beginning of another. */
const SIGNATURES: readonly Signature[] = [
  { starts: ['%PDF-'], is: kind('application/pdf') },
  { starts: ['\x89PNG\r\n\x1A\n'], is: kind('image/png') },
  { starts: ['\xFF\xD8\xFF'], is: kind('image/jpeg') },
  { starts: ['II*\0', 'MM\0*'], is: kind('image/tiff') },
  { starts: ['MZ', '\x7FELF', '\xFE\xED\xFA', '\xCF\xFA\xED\xFE', '\xCE\xFA\xED\xFE', '\xCA\xFE\xBA\xBE', '#!'], is: refused('a program') },
  {
    starts: ['\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1'],
    is: refused('an Office file of before 2007, which may have macros, or an encrypted one'),
  },
  { starts: ['Rar!', '7z\xBC\xAF', '\x1F\x8B', 'BZh', '\xFD7zXZ'], is: refused('an archive') },
];

/** By the bytes alone: neither its name nor its sender counts. */
export function kindOf(bytes: Uint8Array): FileKind {
  const head = latin1(bytes, 0, 16);
  const known = SIGNATURES.find(({ starts }) => starts.some((start) => head.startsWith(start)));
  if (known) return known.is;
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return kind('image/webp');
  if (head.startsWith('PK\x03\x04')) return kindOfZip(bytes);
  return kindOfText(bytes) ?? refused('of no known type');
}

const OFFICE: readonly (readonly [string, string])[] = [
  ['word/document.xml', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xl/workbook.xml', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt/presentation.xml', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
];

function kindOfZip(bytes: Uint8Array): FileKind {
  const names = namesInZip(bytes);
  if (names === null) return refused('a damaged archive');
  if (names.some((name) => /(^|\/)vbaProject\.bin$/i.test(name) || /^Basic\//.test(name))) return refused('an Office file with macros');
  const office = OFFICE.find(([part]) => names.includes(part));
  if (office) return kind(office[1]);
  // The first entry of an OpenDocument file is its type, without compression.
  const declared = /^mimetype(application\/vnd\.oasis\.opendocument\.[a-z]+)/.exec(latin1(bytes, 30, 120))?.[1];
  return declared !== undefined && MEDIA_TYPES.includes(declared) ? kind(declared) : refused('an archive');
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LONGEST_COMMENT = 65_535;

/** Names in the directory at the end of a ZIP file; null where there is none. */
export function namesInZip(bytes: Uint8Array): readonly string[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && end >= bytes.length - 22 - LONGEST_COMMENT && view.getUint32(end, true) !== END) end--;
  if (end < 0 || view.getUint32(end, true) !== END) return null;
  const names: string[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + 46 > end || view.getUint32(at, true) !== ENTRY) return null;
    const length = view.getUint16(at + 28, true);
    names.push(latin1(bytes, at + 46, at + 46 + length));
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return names;
}

const MOST_JSON = 1024 * 1024;

/** Null for what is no text in UTF-8. */
function kindOfText(bytes: Uint8Array): FileKind | null {
  const text = textOf(bytes);
  if (text === null || /[^\P{Cc}\t\n\f\r\x7F-\x9F]/u.test(text)) return null;
  const start = text.slice(0, 1_000).trimStart().toLowerCase();
  if (/^(<!doctype html|<html|<svg|<script)|<(html|svg|script)[\s>]/.test(start)) return refused('a page or a drawing with scripts');
  if (start.startsWith('<?xml')) return kind('application/xml');
  if (/^[[{]/.test(start) && bytes.length <= MOST_JSON && isJson(text)) return kind('application/json');
  return kind(hasColumns(text) ? 'text/csv' : 'text/plain');
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The first lines have the same number of separators, at least one. */
function hasColumns(text: string): boolean {
  const lines = text
    .slice(0, 10_000)
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .slice(0, 3);
  const counts = (separator: string): readonly number[] => lines.map((line) => line.split(separator).length);
  return lines.length > 1 && [';', ',', '\t'].some((separator) => counts(separator)[0]! > 1 && new Set(counts(separator)).size === 1);
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
