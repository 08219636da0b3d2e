import { EXACT_TOTAL, type Page, type PageRequest, pageFrom } from '#kernel';
import type { TenantTx, Tx } from './tx.js';

interface Listing {
  readonly columns: string;
  /** Tables and conditions; their placeholders are the first ones. */
  readonly from: string;
  readonly order: string;
  readonly parameters: readonly unknown[];
}

/** One page of a list and its total, which is exact up to 10,000 (docs/spec/api.md#lots-custody-recall). */
export async function pageOf<Row>(tx: Tx, request: PageRequest, { columns, from, order, parameters }: Listing): Promise<Page<Row>> {
  const next = parameters.length + 1;
  const [data, counted] = await Promise.all([
    tx.sql<Row>(`select ${columns} from ${from} order by ${order} limit $${next} offset $${next + 1}`, [
      ...parameters,
      request.limit,
      (request.page - 1) * request.limit,
    ]),
    countOf(tx, from, parameters),
  ]);
  return pageFrom(data, counted, request);
}

/** A list that was too long to count is not counted again for this time, while a client pages through it or polls it. */
const LONG_LIST_MS = 30_000;
const MAX_LONG_LISTS = 1000;
/** Lists with more than `EXACT_TOTAL` rows, by the time until which this is assumed. The key contains the tenant. */
const longLists = new Map<string, number>();

/**
 * Rows of a list, counted no further than `EXACT_TOTAL + 1`, because the cost of a count is what it reads. A list that was longer a moment
 * ago is not counted again: its total is only a lower bound.
 */
export async function countOf(tx: Tx, from: string, parameters: readonly unknown[]): Promise<number> {
  const key = JSON.stringify([(tx as Partial<TenantTx>).tenantId, from, parameters], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  if ((longLists.get(key) ?? 0) > performance.now()) return EXACT_TOTAL + 1;
  const [row] = await tx.sql<{ counted: string }>(
    `select count(*) as counted from (select from ${from} limit ${EXACT_TOTAL + 1}) as counted_rows`,
    parameters,
  );
  const counted = Number(row!.counted);
  longLists.delete(key);
  if (counted > EXACT_TOTAL) rememberLongList(key);
  return counted;
}

function rememberLongList(key: string): void {
  // A map keeps the order of insertion: the first key is the oldest.
  if (longLists.size >= MAX_LONG_LISTS) longLists.delete(longLists.keys().next().value!);
  longLists.set(key, performance.now() + LONG_LIST_MS);
}
