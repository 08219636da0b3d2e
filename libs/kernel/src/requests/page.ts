/** `page` is 1-based. Bounds and defaults: docs/spec/domain.md#open-points. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;
/** A total above this number is a lower bound (docs/spec/api.md#lots-custody-recall). */
export const EXACT_TOTAL = 10_000;

export interface Page<T> {
  readonly data: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly nextCursor: string | null;
  readonly totalIsLowerBound?: true;
}

/** @param counted the number of rows, counted no further than `EXACT_TOTAL + 1` */
export const pageFrom = <T>(
  data: readonly T[],
  counted: number,
  { page, limit }: PageRequest,
  nextCursor: string | null = null,
): Page<T> => ({
  data,
  total: Math.min(counted, EXACT_TOTAL),
  page,
  limit,
  nextCursor,
  ...(counted > EXACT_TOTAL && { totalIsLowerBound: true as const }),
});
