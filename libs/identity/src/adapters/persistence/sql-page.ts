import { EXACT_TOTAL, type Page, type PageRequest } from '#kernel';
import type { Tx } from '#persistence';

interface Listing {
  readonly columns: string;
  /** Tables and conditions; their placeholders are the first ones. */
  readonly from: string;
  readonly order: string;
  readonly parameters: readonly unknown[];
}

/** One page of a list and how many there are: exactly up to 10,000 (api-decisions §4). */
export async function pageOf<Row>(tx: Tx, { page, limit }: PageRequest, { columns, from, order, parameters }: Listing): Promise<Page<Row>> {
  const next = parameters.length + 1;
  const data = await tx.sql<Row>(`select ${columns} from ${from} order by ${order} limit $${next} offset $${next + 1}`, [
    ...parameters,
    limit,
    (page - 1) * limit,
  ]);
  const [counted] = await tx.sql<{ n: string }>(`select count(*) as n from (select 1 from ${from} limit ${EXACT_TOTAL + 1}) c`, parameters);
  const total = Math.min(Number(counted!.n), EXACT_TOTAL);
  return { data, total, page, limit, nextCursor: null, ...(Number(counted!.n) > EXACT_TOTAL && { totalIsLowerBound: true as const }) };
}
