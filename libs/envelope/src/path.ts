import { escapePointer, type Json } from '#kernel';

/** The way to a value: a string for a member, an integer for an element. So `{"a":{"0":1}}` and `{"a":["x"]}` have different ones. */
export type Path = readonly (string | number)[];

/** A value that is committed to by itself. */
export interface Leaf {
  readonly path: Path;
  readonly value: Json;
}

export const pointerOf = (path: Path): string => path.map((name) => `/${escapePointer(String(name))}`).join('');

const isNumbers = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item: unknown) => typeof item === 'number' || isNumbers(item));

/** A scalar, an empty object or array, or an array of only numbers and such arrays (coordinates are meaningless one by one). */
export const isLeaf = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || isNumbers(value) || (!Array.isArray(value) && Object.keys(value).length === 0);

/** All leaves of a content, depth first. */
export function leavesOf(content: Json, path: Path = []): Leaf[] {
  if (isLeaf(content)) return [{ path, value: content }];
  if (Array.isArray(content)) return content.flatMap((item: Json, i) => leavesOf(item, [...path, i]));
  const members = content as { readonly [key: string]: Json };
  return Object.keys(members).flatMap((key) => leavesOf(members[key]!, [...path, key]));
}

/**
 * What of a content is in the clear: the same shape with only these leaves. An element of an array that has none is `null`, and nothing
 * of the kind ends an array. Undefined where nothing is in the clear.
 */
export function clearPart(content: Json, isClear: (path: Path) => boolean, path: Path = []): Json | undefined {
  if (isLeaf(content)) return isClear(path) ? content : undefined;
  if (Array.isArray(content)) {
    const items = content.map((item: Json, i) => clearPart(item, isClear, [...path, i]));
    const end = items.findLastIndex((item) => item !== undefined) + 1;
    return end === 0 ? undefined : items.slice(0, end).map((item) => item ?? null);
  }
  const members = content as { readonly [key: string]: Json };
  const shown: Record<string, Json> = {};
  for (const key of Object.keys(members)) {
    const part = clearPart(members[key]!, isClear, [...path, key]);
    if (part !== undefined) define(shown, key, part);
  }
  return Object.keys(shown).length === 0 ? undefined : shown;
}

/** A member named `__proto__` is data like any other. */
export const define = (target: object, key: string | number, value: unknown): void => {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
};

export const isName = (value: unknown): value is string | number =>
  typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
