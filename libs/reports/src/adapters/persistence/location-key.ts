/** SQL: one key for one place: the Digital Link of its GLN however it was written, else its identifier, else its name. */
export const keyOf = (location: string): string => `coalesce(
  'https://id.gs1.org/414/' || coalesce(${location} ->> 'gln', substring(${location} ->> 'id' from '/414/(\\d{13})$')),
  ${location} ->> 'id',
  'name:' || (${location} ->> 'name') || coalesce(', ' || (${location} ->> 'country'), ''))`;

/** A lot without a place of its own, or with one that cannot be told from others. */
export const NOWHERE = 'unknown';
