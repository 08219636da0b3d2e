import { EXACT_TOTAL, type Page, type PageRequest, pageFrom } from '#kernel';
import type { TenantTx, Tx } from './unit-of-work.js';

interface Listing {
  readonly columns: string;
  /** Tables and conditions; their placeholders are the first ones. */
  readonly from: string;
  readonly order: string;
  readonly parameters: readonly unknown[];
}

/** One page of a list and how many there are: exactly up to 10,000 (api-decisions §4). */
export async function pageOf<Row>(tx: Tx, request: PageRequest, { columns, from, order, parameters }: Listing): Promise<Page<Row>> {
  const next = parameters.length + 1;
  const data = await tx.sql<Row>(`select ${columns} from ${from} order by ${order} limit $${next} offset $${next + 1}`, [
    ...parameters,
    request.limit,
    (request.page - 1) * request.limit,
  ]);
  return pageFrom(data, await countOf(tx, from, parameters), request);
}

/** How long a list that was too long to be counted is taken to be so: paging through it, or polling it, does not count it every time. */
const LONG_FOR_MS = 30_000;
const MOST_REMEMBERED = 1000;
/** Lists that had more than `EXACT_TOTAL` rows, with the time until which that is believed. Of any tenant: the key has it. */
const long = new Map<string, number>();

/**
 * Rows of a list, counted no further than `EXACT_TOTAL + 1`: a count costs what it reads. What was more than that a moment ago is not
 * counted again, since its total is a lower bound anyway.
 */
export async function countOf(tx: Tx, from: string, parameters: readonly unknown[]): Promise<number> {
  const key = JSON.stringify([(tx as Partial<TenantTx>).tenantId, from, parameters], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  if ((long.get(key) ?? 0) > performance.now()) return EXACT_TOTAL + 1;
  const [row] = await tx.sql<{ counted: string }>(
    `select count(*) as counted from (select from ${from} limit ${EXACT_TOTAL + 1}) as counted_rows`,
    parameters,
  );
  const counted = Number(row!.counted);
  long.delete(key);
  if (counted > EXACT_TOTAL) remember(key);
  return counted;
}

function remember(key: string): void {
  // A map keeps the order of insertion: the first is the oldest.
  if (long.size >= MOST_REMEMBERED) long.delete(long.keys().next().value!);
  long.set(key, performance.now() + LONG_FOR_MS);
}
