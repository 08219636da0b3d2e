import { hash } from 'node:crypto';
import { malformedRequest } from '../problems/refusals.js';

export const MULTIPART = 'multipart/form-data';
const LONGEST_NAME = 200;
const LONGEST_HEAD = 8_192;
const MOST_PARTS = 100;

/** A file of a request with `multipart/form-data`. What its sender says of its type is not kept: the content says it. */
export class UploadedFile {
  readonly #bytes: Buffer;

  constructor(
    readonly name: string,
    bytes: Buffer,
  ) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get sha256(): string {
    return hash('sha256', this.#bytes, 'hex');
  }

  /** What tells two requests with the same Idempotency-Key apart. */
  toJSON(): object {
    return { name: this.name, sha256: this.sha256 };
  }
}

/**
 * The parts of a body by their names: texts, and files (RFC 7578). The bytes of a file are not copied: a parser for streams would take
 * seconds for 50 MB that are in memory already.
 * @throws DomainError 400 for what is not `multipart/form-data`, and for a part that occurs twice
 */
export function readMultipart(bytes: Buffer, contentType: string): Readonly<Record<string, unknown>> {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw refused('not_multipart', 'The Content-Type of the body has no boundary.');
  const parts = new Map<string, string | UploadedFile>();
  for (const { head, content } of partsOf(bytes, `--${boundary}`)) {
    const { name, fileName } = namesIn(head);
    if (parts.has(name)) throw refused('duplicate_name', `The part ${name.slice(0, 100)} occurs twice.`);
    parts.set(name, fileName === null ? textOf(content, name) : new UploadedFile(cleanName(fileName), content));
  }
  return Object.fromEntries(parts);
}

interface Part {
  readonly head: string;
  readonly content: Buffer;
}

function partsOf(bytes: Buffer, delimiter: string): readonly Part[] {
  const parts: Part[] = [];
  const next = `\r\n${delimiter}`;
  // What is before the first delimiter has no meaning.
  let at = bytes.indexOf(delimiter);
  while (at >= 0 && parts.length <= MOST_PARTS) {
    const begin = at + delimiter.length;
    const mark = bytes.toString('latin1', begin, begin + 2);
    if (mark === '--') return parts;
    const headEnd = mark === '\r\n' ? bytes.indexOf('\r\n\r\n', begin) : -1;
    const end = headEnd < 0 || headEnd - begin > LONGEST_HEAD ? -1 : bytes.indexOf(next, headEnd + 2);
    if (end < 0) break;
    parts.push({ head: bytes.toString('utf8', begin, headEnd), content: bytes.subarray(Math.min(headEnd + 4, end), end) });
    at = end + 2;
  }
  throw refused('not_multipart', 'The body is not valid multipart/form-data.');
}

function namesIn(head: string): { readonly name: string; readonly fileName: string | null } {
  const [, disposition = ''] = /\r\ncontent-disposition:\s*form-data\s*;([^\r\n]*)/i.exec(head) ?? [];
  const valueOf = (key: string): string | null => {
    const [, value] = new RegExp(String.raw`(?:^|[;\s])${key}="((?:[^"\\]|\\.)*)"`, 'i').exec(disposition) ?? [];
    return value === undefined ? null : value.replaceAll('\\"', '"').replaceAll(/%22|%0D|%0A/gi, (escape) => decodeURIComponent(escape));
  };
  const name = valueOf('name');
  if (name === null || name === '__proto__') throw refused('not_multipart', 'A part of the body has no name.');
  return { name, fileName: valueOf('filename') };
}

function textOf(content: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw refused('not_utf8', `The part ${name.slice(0, 100)} is not UTF-8 text.`);
  }
}

/** Without folders and without what no file system or header takes. */
function cleanName(given: string): string {
  const last = given.split(/[/\\]/).at(-1)!;
  const clean = last.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}"]/gu, '').trim();
  return Array.from(clean).slice(0, LONGEST_NAME).join('') || 'file';
}

const refused = (code: string, message: string) => malformedRequest([{ pointer: '', code, message }]);
