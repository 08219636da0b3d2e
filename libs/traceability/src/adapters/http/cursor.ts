import { malformedRequest } from '#http';

/** `nextCursor`: where the next page begins, opaque to clients. Unlike a page number it does not slip when something lands meanwhile. */
export const cursorOf = (...parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

/** @throws DomainError 400 for what is no cursor of this list */
export function partsOf(cursor: string, fits: (parts: readonly string[]) => boolean): readonly string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parts) && parts.every((part) => typeof part === 'string') && fits(parts)) return parts;
  } catch {
    // Falls through to the refusal.
  }
  throw malformedRequest([{ pointer: '/cursor', code: 'invalid_cursor', message: 'This is no cursor of this list.' }]);
}
