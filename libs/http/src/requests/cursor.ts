import { hash } from 'node:crypto';
import { malformedRequest } from '../errors/refusals.js';

/** Where the next page begins, opaque to clients. Unlike a page number it does not slip when something lands meanwhile. */
const cursorOf = (...parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

/** What `cursorOf` was given; null for what is no cursor, or does not fit the list. */
function partsOf(cursor: string, fits: (parts: readonly string[]) => boolean): readonly string[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') && fits(parts) ? parts : null;
  } catch {
    return null;
  }
}

/** The cursors of one list as one caller asked for it: in another tenant, or with other filters, they mean nothing. */
export interface ListCursor {
  after(...parts: readonly string[]): string;
  /** @throws DomainError 400 with the code `invalid_cursor`, or `foreign_cursor` for one of another tenant, list or filter */
  place(cursor: string, fits: (parts: readonly string[]) => boolean): readonly string[];
}

/** @param of whatever tells the list apart: tenant, name, filters */
export function listCursor(...of: readonly unknown[]): ListCursor {
  const seal = hash('sha256', JSON.stringify(of), 'base64url').slice(0, 12);
  return {
    after: (...parts) => cursorOf(seal, ...parts),
    place: (cursor, fits) => {
      const parts = partsOf(cursor, ([, ...place]) => fits(place));
      if (!parts) throw refused('invalid_cursor', 'This is no cursor of this list.');
      if (parts[0] !== seal) throw refused('foreign_cursor', 'This cursor comes from another tenant, another list or other filters.');
      return parts.slice(1);
    },
  };
}

const refused = (code: string, message: string) => malformedRequest([{ pointer: '/cursor', code, message }]);
