export interface HiddenRow {
  readonly said: Readonly<Record<string, unknown>>;
  /** Pointers that the process map keeps for authorities. */
  readonly hidden: readonly string[];
}

/** What a map calls public as a whole may hold what it keeps for authorities: the narrower word counts. */
export function withoutHidden<Row extends HiddenRow>({ hidden, said, ...rest }: Row): Omit<Row, 'hidden'> {
  const shown = Object.entries(said)
    .filter(([pointer]) => !hidden.some((secret) => pointer === secret || pointer.startsWith(`${secret}/`)))
    .map(([pointer, value]) => [pointer, hidden.reduce((kept, secret) => cut(kept, secret, pointer), value)]);
  return { ...rest, said: Object.fromEntries(shown) } as unknown as Omit<Row, 'hidden'>;
}

/** The value at `pointer` without what lies at `secret`, where that is within. */
function cut(value: unknown, secret: string, pointer: string): unknown {
  if (!secret.startsWith(`${pointer}/`)) return value;
  return without(
    value,
    secret
      .slice(pointer.length + 1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}

function without(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.flatMap((item, i) => (String(i) !== key ? [item] : rest.length === 0 ? [] : [without(item, rest)]));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      name !== key ? [[name, item]] : rest.length === 0 ? [] : [[name, without(item, rest)]],
    ),
  );
}
