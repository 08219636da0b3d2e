/** Where the next page begins, opaque to clients. Unlike a page number it does not slip when something lands meanwhile. */
export const cursorOf = (...parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

/** What `cursorOf` was given; null for what is no cursor, or does not fit the list. */
export function partsOf(cursor: string, fits: (parts: readonly string[]) => boolean): readonly string[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') && fits(parts) ? parts : null;
  } catch {
    return null;
  }
}
