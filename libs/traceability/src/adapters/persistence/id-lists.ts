/** Token ids on their way to the database and back as one text each: the driver's arrays and rows would cost more than the statement. */
export const idList = (ids: Iterable<bigint>): string => `{${[...ids].join(',')}}`;

/** @param text of `string_agg(…::text, ',')`; null where there was none */
export const idsIn = (text: string | null): bigint[] => text?.split(',').map(BigInt) ?? [];

/**
 * A list of ids as a parameter that the planner does not look into: of ten thousand it believes that a look through a whole table is cheaper
 * than one walk along an index.
 */
export const unseen = (parameter: string): string => `(select ${parameter}::bigint[])::bigint[]`;
