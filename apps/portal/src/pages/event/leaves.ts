export type Scalar = string | number | boolean | null;

/** A single value in the content of an event. */
export interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: Scalar;
}

/** Every single value, in the order of the content. */
export function leavesOf(value: unknown, path: Leaf['path'] = []): readonly Leaf[] {
  if (value === null || typeof value !== 'object') return value === undefined ? [] : [{ path, value: value as Scalar }];
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  return Object.entries(value).flatMap(([name, item]) => leavesOf(item, [...path, name]));
}

/** The same content with another value at a path that it has; nothing else changes. */
export function withLeaf<T>(content: T, [head, ...rest]: Leaf['path'], value: Scalar): T {
  if (head === undefined) return value as T;
  if (Array.isArray(content)) return content.map((item: unknown, index) => (index === head ? withLeaf(item, rest, value) : item)) as T;
  const object = content as Record<string, unknown>;
  return { ...object, [head]: withLeaf(object[String(head)], rest, value) } as T;
}

export const keyOfPath = (path: Leaf['path']): string => path.join('/');
