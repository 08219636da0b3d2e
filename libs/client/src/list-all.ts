import type { TraceabilityClient } from './traceability-client.js';
import type { Page } from './types.js';

/** One page of a list. Some lists have cursors, shorter ones only page numbers. */
export interface ListPage<T> extends Page<T> {
  readonly page?: number;
  readonly limit?: number;
  readonly nextCursor?: string | null;
  readonly totalIsLowerBound?: boolean;
}

/**
 * Every item of a list, page after page: by cursor if the list has one, so that new items do not shift the pages, else by page number.
 * @param path with its filters, without `page` and `cursor`
 */
export async function* listAll<T>(client: TraceabilityClient, path: string): AsyncGenerator<T, void, undefined> {
  for (let address: string | null = path; address !== null;) {
    const page: ListPage<T> = await client.get(address);
    yield* page.data;
    address = nextPagePath(address, page);
  }
}

/** @param address of the current page @param current its content @returns the address of the next page; null after the last one */
export function nextPagePath(address: string, current: ListPage<unknown>): string | null {
  const [path = '', search] = address.split('?', 2);
  const query = new URLSearchParams(search);
  const { nextCursor = null, page, limit, total, totalIsLowerBound = false, data } = current;
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
