import type { TenantTx } from '#persistence';
import type { AsOf } from '../../contract.js';
import { idList, unseen } from './id-lists.js';

/** Everybody who held them, by token id, of those that somebody else held once: most lots never change hands. */
export type Holders = ReadonlyMap<string, readonly string[]>;

export async function holdersOf(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<Holders> {
  if (tokenIds.length === 0) return new Map();
  const then = asOf === null ? '' : 'and v.from_block <= $3';
  const rows = await tx.sql<{ token: string; custodians: readonly string[] }>(
    `with changed as (
       select v.token_id from traceability.lot v where v.tenant_id = $1 and v.token_id = any(${unseen('$2')}) ${then}
       group by v.token_id having min(v.custodian collate "C") <> max(v.custodian collate "C"))
     select c.token_id as token, v.custodians from changed c cross join lateral (
       select array_agg(distinct v.custodian) as custodians from traceability.lot v
       where v.tenant_id = $1 and v.token_id = c.token_id ${then}) v`,
    [tx.tenantId, idList(tokenIds), ...(asOf === null ? [] : [asOf])],
  );
  return new Map(rows.map(({ token, custodians }) => [token, custodians]));
}
