import { EXACT_TOTAL, type Page, type PageRequest, pageFrom } from '#kernel';
import type { Tx } from './unit-of-work.js';

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

/** Rows of a list, counted no further than `EXACT_TOTAL + 1`: a count costs what it reads. */
export async function countOf(tx: Tx, from: string, parameters: readonly unknown[]): Promise<number> {
  const [row] = await tx.sql<{ counted: string }>(
    `select count(*) as counted from (select from ${from} limit ${EXACT_TOTAL + 1}) as counted_rows`,
    parameters,
  );
  return Number(row!.counted);
}
