export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

export const textAt = (value: unknown, key: string): string | null => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' && found !== '' ? found : null;
};

/** JSON-LD: one value counts as a list of it. */
export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : value === undefined || value === null ? [] : [value];

/** `eventID`, or `id`, which is the same in the context of EPCIS. */
export const eventIdIn = (event: unknown): string | null => textAt(event, 'eventID') ?? textAt(event, 'id');
