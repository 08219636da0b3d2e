/** Token ids on their way to the database and back as one text each: the driver's arrays and rows would cost more than the statement. */
export const idList = (ids: Iterable<bigint>): string => `{${[...ids].join(',')}}`;

/** @param text of `string_agg(…::text, ',')`; null where there was none */
export const idsIn = (text: string | null): bigint[] => text?.split(',').map(BigInt) ?? [];
