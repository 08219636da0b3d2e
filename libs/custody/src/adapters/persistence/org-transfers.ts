import type { Page, PageRequest } from '#kernel';
import { type TenantTx, pageOf } from '#persistence';
import type { Transfer } from '../../domain/transfer.js';
import { type TransferRow, toTransfer } from './transfer-table.js';

/** Completed transfers from or to these wallets, newest first. */
export async function completedTransfers(tx: TenantTx, wallets: readonly string[], page: PageRequest): Promise<Page<Transfer>> {
  const found = await pageOf<TransferRow>(tx, page, {
    columns: '*',
    from: `custody.transfer where status in ('accepted', 'direct') and (closed_from = any($1) or closed_to = any($1))`,
    order: 'closed_block desc, closed_log desc, token_id desc',
    parameters: [wallets],
  });
  return { ...found, data: found.data.map(toTransfer) };
}
