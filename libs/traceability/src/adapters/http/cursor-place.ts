import { malformedRequest, partsOf } from '#http';

/** Where a list goes on. @throws DomainError 400 for what is no cursor of this list */
export function cursorPlace(cursor: string, fits: (parts: readonly string[]) => boolean): readonly string[] {
  const parts = partsOf(cursor, fits);
  if (parts) return parts;
  throw malformedRequest([{ pointer: '/cursor', code: 'invalid_cursor', message: 'This is no cursor of this list.' }]);
}
