import { hash } from 'node:crypto';
import { type DomainError, isTokenId, readInstant } from '#kernel';
import { malformedRequest } from '../problems/refusals.js';

/**
 * A point in time in a query or a body: ISO 8601 with an offset, or a date, which means midnight UTC. A plus sign that was sent without escaping
 * arrives as a space and is accepted.
 * @throws DomainError 400 with the code `no_time_zone` or `invalid_time`
 */
export function instantIn(text: string, pointer: string): Date {
  const time = readInstant(text.replace(/ (?=\d{2}:\d{2}$)/, '+'));
  if (time instanceof Date) return time;
  const message =
    time === 'no_time_zone' ? `${text} has no time zone: add Z or an offset like +07:00.` : `${text} is not a valid point in time.`;
  throw malformedRequest([{ pointer, code: time, message }]);
}

/** From `from` up to, but not including, `to`. Each is null where it was not given. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

/**
 * The times of a query that bound a list.
 * @param names of the two parameters
 * @throws DomainError 400 as `instantIn`, `from_after_to`, or `empty_period` where both are the same: no time is between them
 */
export function periodIn(
  from: string | undefined,
  to: string | undefined,
  [begin, end]: readonly [string, string] = ['from', 'to'],
): Period {
  const instant = (text: string | undefined, name: string): Date | null => (text === undefined ? null : instantIn(text, `/${name}`));
  const period = { from: instant(from, begin), to: instant(to, end) };
  if (period.from === null || period.to === null || period.from < period.to) return period;
  const [code, message] =
    period.from > period.to
      ? ['from_after_to', `\`${begin}\` is after \`${end}\`.`]
      : ['empty_period', `\`${begin}\` and \`${end}\` are the same time, and \`${end}\` is not included: a date ends with the next date.`];
  throw malformedRequest([{ pointer: `/${begin}`, code, message }]);
}

/**
 * A token id from 1 to 2^48 - 1, as a JSON integer or decimal string (docs/spec/reliability.md#chain). It is never rounded.
 * @param pointer of the value in the request; `/tokenId` for a path parameter
 * @throws DomainError 400 `malformed_request`
 */
export function tokenId(value: unknown, pointer = '/tokenId'): bigint {
  if (!isTokenId(value)) throw notATokenId([pointer]);
  return BigInt(value);
}

/** @param pointer of the list; an absent list has no ids @throws DomainError 400 with the pointer of each invalid id */
export function tokenIds(values: readonly unknown[] | null | undefined, pointer = '/inputTokenIds'): bigint[] {
  const list = values ?? [];
  const wrong = list.flatMap((value, i) => (isTokenId(value) ? [] : [`${pointer}/${i}`]));
  if (wrong.length > 0) throw notATokenId(wrong);
  return list.map((value) => BigInt(value as number | string));
}

export const TOKEN_ID_SENTENCE = 'A token id is an integer from 1 to 281474976710655, as a JSON integer or its decimal string.';

const notATokenId = (pointers: readonly string[]): DomainError =>
  malformedRequest(pointers.map((pointer) => ({ pointer, code: 'invalid_token_id', message: TOKEN_ID_SENTENCE })));

/** Start of the next page, opaque to clients. Unlike a page number, it stays correct when rows are added in between. */
const encodeCursor = (...parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

/** Decodes a cursor; null for an invalid one, or one that does not fit the list. */
function decodeCursor(cursor: string, fits: (parts: readonly string[]) => boolean): readonly string[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const areTexts = Array.isArray(parts) && parts.every((part) => typeof part === 'string' && !part.includes('\0'));
    return areTexts && fits(parts as readonly string[]) ? (parts as readonly string[]) : null;
  } catch {
    return null;
  }
}

/** Whether a part of a cursor is a time as `Date.toISOString` writes it, which every database reads. */
export const isTimeOfCursor = (part: string | undefined): part is string =>
  part !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(part) && !Number.isNaN(Date.parse(part));

/** The cursors of one list with the filters of one request. They are not valid in another tenant or with other filters. */
export interface ListCursor {
  after(...parts: readonly string[]): string;
  /** @throws DomainError 400 with the code `invalid_cursor`, or `foreign_cursor` for one of another tenant, list or filter */
  place(cursor: string, fits: (parts: readonly string[]) => boolean, pointer?: string): readonly string[];
}

/** @param list identifies the list: tenant, name, filters */
export function listCursor(...list: readonly unknown[]): ListCursor {
  const listHash = hash('sha256', JSON.stringify(list), 'base64url').slice(0, 12);
  return {
    after: (...parts) => encodeCursor(listHash, ...parts),
    place: (cursor, fits, pointer = '/cursor') => {
      const refused = (code: string, message: string): DomainError => malformedRequest([{ pointer, code, message }]);
      const parts = decodeCursor(cursor, ([, ...place]) => fits(place));
      if (!parts) throw refused('invalid_cursor', 'This is not a cursor of this list.');
      if (parts[0] !== listHash) throw refused('foreign_cursor', 'This cursor belongs to another tenant, another list or other filters.');
      return parts.slice(1);
    },
  };
}
