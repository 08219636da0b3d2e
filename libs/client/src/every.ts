import type { TraceabilityClient } from './traceability-client.js';
import type { Page } from './types.js';

/** A page as every list answers it: some go on by a cursor, the shorter ones by their number alone. */
export interface Listed<T> extends Page<T> {
  readonly page?: number;
  readonly limit?: number;
  readonly nextCursor?: string | null;
  readonly totalIsLowerBound?: boolean;
}

/**
 * Every item of a list, page after page: by its cursor where it has one, so that what is added meanwhile moves nothing, else by their number.
 * @param path with its filters, without `page` and `cursor`
 */
export async function* every<T>(client: TraceabilityClient, path: string): AsyncGenerator<T, void, undefined> {
  for (let address: string | null = path; address !== null; ) {
    const page: Listed<T> = await client.get(address);
    yield* page.data;
    address = pageAfter(address, page);
  }
}

/** @param address what was asked for @param answered what came @returns the address of the page after it; null after the last */
export function pageAfter(address: string, answered: Listed<unknown>): string | null {
  const [path = '', asked] = address.split('?', 2);
  const query = new URLSearchParams(asked);
  const { nextCursor = null, page, limit, total, totalIsLowerBound = false, data } = answered;
  if (nextCursor !== null) {
    query.delete('page');
    query.set('cursor', nextCursor);
  } else {
    if (query.has('cursor') || page === undefined || limit === undefined || data.length < limit) return null;
    if (page * limit >= total && !totalIsLowerBound) return null;
    query.set('page', String(page + 1));
  }
  return `${path}?${query.toString()}`;
}
