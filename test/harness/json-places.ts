export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Ways to each member and item: `['metadata', 'quantity']`. */
export function placesIn(value: Json, way: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null || way.length > 4) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[...way, name], ...placesIn(inner, [...way, name])]);
}

export function replaced(value: Json, [name, ...rest]: readonly string[], by: Json): Json {
  if (name === undefined) return by;
  if (isList(value)) return value.map((item, i) => (String(i) === name ? replaced(item, rest, by) : item));
  const object = value as { readonly [member: string]: Json };
  return { ...object, [name]: replaced(object[name]!, rest, by) };
}

export const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
export const text = (value: Json): string =>
  typeof value === 'string' ? value.replaceAll(/\p{Surrogate}/gu, '\uFFFD') : JSON.stringify(value);
/** Numbers that JSON knows and JavaScript does not go out as they are written. */
export const serialized = (value: Json): string => JSON.stringify(value).replaceAll(/"#(-?[\d.e+]+)#"/g, '$1');
