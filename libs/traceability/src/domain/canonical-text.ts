import { canonicalJson } from '#kernel';

/** Nesting up to which it is looked at here; `canonicalJson` goes deeper. */
const DEPTH = 20;

/**
 * Whether a text is the canonical form of the value that was read from it. Almost always it is, and JSON's own writer gives the same text
 * in a third of the time: the order of keys aside, it writes as RFC 8785 asks. Whatever is out of the ordinary is written canonically
 * and compared. @throws NotCanonical
 */
export const isCanonical = (text: string, value: unknown): boolean =>
  (!text.includes(String.raw`\ud`) && isOrdinary(value, 0) && JSON.stringify(value) === text) || canonicalJson(value) === text;

/** Keys in order, and no number that was rounded when it was read. */
function isOrdinary(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isOrdinary(item, depth + 1));
  let before: string | null = null;
  for (const key of Object.keys(value)) {
    if ((before !== null && key <= before) || !isOrdinary((value as Record<string, unknown>)[key], depth + 1)) return false;
    before = key;
  }
  return true;
}
