export interface Difference {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What one JSON document has otherwise than another, by pointer; lists by their places. */
export function differences(before: unknown, after: unknown, pointer = ''): readonly Difference[] {
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ pointer, kind: 'changed', before, after }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key): readonly Difference[] => {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(before, key)) return [{ pointer: at, kind: 'added', after: after[key] }];
    if (!Object.hasOwn(after, key)) return [{ pointer: at, kind: 'removed', before: before[key] }];
    return differences(before[key], after[key], at);
  });
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
