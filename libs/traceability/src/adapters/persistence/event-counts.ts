import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantTx } from '#persistence';
import type { AsOf } from '../../contract.js';
import { idList, unseen } from './id-lists.js';

/** How many landed events name each of these lots, voided ones included; a lot that none names is not there. One walk along an index. */
export async function eventCounts(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<ReadonlyMap<string, string>> {
  const [row] = await tx.sql<{ tokens: string | null; counts: string | null }>(
    `select string_agg(token_id::text, ',') as tokens, string_agg(events::text, ',') as counts from (
       select n.token_id, count(*) as events from traceability.event_lot n
       where n.tenant_id = $1 and n.token_id = any(${unseen('$2')}) and ($3::bigint is null or n.block_number <= $3)
       group by n.token_id) counted`,
    [tx.tenantId, idList(tokenIds), asOf],
  );
  // What is asked next is on its way before these are looked at.
  await nextTurn();
  const counts = row!.counts?.split(',') ?? [];
  return new Map((row!.tokens?.split(',') ?? []).map((token, i) => [token, counts[i]!]));
}
