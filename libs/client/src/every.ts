import type { TraceabilityClient } from './traceability-client.js';
import type { Page } from './types.js';

/**
 * Every item of a list, page after page by its cursor, so that what is added meanwhile moves nothing.
 * @param path with its filters, without `page` and `cursor`
 */
export async function* every<T>(client: TraceabilityClient, path: string): AsyncGenerator<T, void, undefined> {
  for (let cursor: string | null = null; ; ) {
    const address: string = cursor === null ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
    const page: Page<T> & { readonly nextCursor?: string | null } = await client.get(address);
    yield* page.data;
    cursor = page.nextCursor ?? null;
    if (cursor === null) return;
  }
}
