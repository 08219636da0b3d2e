import { EXACT_TOTAL, type PageRequest } from '#kernel';
import type { TenantTx } from '#persistence';
import type { Transfer } from '../../domain/transfer.js';
import { type TransferRow, toTransfer } from './transfer-table.js';

export interface TransferPage {
  readonly transfers: readonly Transfer[];
  /** Exact up to 10,000, beyond that 10,001. */
  readonly counted: number;
}

/** Completed transfers from or to these wallets, newest first. */
export async function completedTransfers(tx: TenantTx, wallets: readonly string[], page: PageRequest): Promise<TransferPage> {
  const rows = await tx.sql<TransferRow>(
    `select * from custody.transfer
     where status in ('accepted', 'direct') and (closed_from = any($1) or closed_to = any($1))
     order by closed_block desc, closed_log desc, token_id desc limit $2 offset $3`,
    [wallets, page.limit, (page.page - 1) * page.limit],
  );
  const [count] = await tx.sql<{ counted: string }>(
    `select count(*) as counted from (
       select 1 from custody.transfer
       where status in ('accepted', 'direct') and (closed_from = any($1) or closed_to = any($1)) limit $2
     ) as counted_rows`,
    [wallets, EXACT_TOTAL + 1],
  );
  return { transfers: rows.map(toTransfer), counted: Number(count!.counted) };
}
