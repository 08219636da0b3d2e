export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Members = Readonly<Record<string, Json>>;

/** RFC 8785: members by UTF-16 code units, numbers and texts as ECMAScript writes them. */
export function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = value as Members;
  return `{${Object.keys(members)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(members[key]!)}`)
    .join(',')}}`;
}

/** A member that ought to be a text. */
export const said = (value: Json | undefined): string => (typeof value === 'string' ? value : canonical(value ?? null));
