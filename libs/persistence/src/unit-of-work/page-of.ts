import { EXACT_TOTAL, type Page, type PageRequest, pageFrom } from '#kernel';
import type { ObjectLiteral } from 'typeorm';
import type { TenantTx, Tx } from './tx.js';

interface Listing {
  /** Tables and conditions; their placeholders are the first ones. */
  readonly from: string;
  readonly order: string;
  readonly parameters: readonly unknown[];
}

/** One page of a list and its total, which is exact up to 10,000 (docs/spec/api.md#lots-custody-recall). */
export async function pageOf<Row>(tx: Tx, request: PageRequest, listing: Listing & { readonly columns: string }): Promise<Page<Row>> {
  const { from, parameters } = rowsOfPage(request, listing);
  const data = tx.sql<Row>(`select ${listing.columns} from ${from}`, parameters);
  return counted(tx, request, listing, data);
}

/** Such a page with objects of a mapped class, whose table has no alias (`Tx.find`). */
export async function pageOfMapped<E extends ObjectLiteral>(
  tx: Tx,
  request: PageRequest,
  type: abstract new (...args: never[]) => E,
  listing: Listing,
): Promise<Page<E>> {
  const { from, parameters } = rowsOfPage(request, listing);
  return counted(tx, request, listing, tx.find(type, from, parameters));
}

/** The tables, conditions and parameters of one page of a list. */
export function rowsOfPage({ page, limit }: PageRequest, { from, order, parameters }: Listing): Pick<Listing, 'from' | 'parameters'> {
  const next = parameters.length + 1;
  return { from: `${from} order by ${order} limit $${next} offset $${next + 1}`, parameters: [...parameters, limit, (page - 1) * limit] };
}

async function counted<Row>(tx: Tx, request: PageRequest, { from, parameters }: Listing, page: Promise<Row[]>): Promise<Page<Row>> {
  const [data, count] = await Promise.all([page, countOf(tx, from, parameters)]);
  return pageFrom(data, count, request);
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
  const length = Number(row!.counted);
  longLists.delete(key);
  if (length > EXACT_TOTAL) rememberLongList(key);
  return length;
}

function rememberLongList(key: string): void {
  // A map keeps the order of insertion: the first key is the oldest.
  if (longLists.size >= MAX_LONG_LISTS) longLists.delete(longLists.keys().next().value!);
  longLists.set(key, performance.now() + LONG_LIST_MS);
}
