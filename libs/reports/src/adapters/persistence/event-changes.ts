import type { TenantTx } from '#persistence';
import type { Change } from '../../facts.ports.js';

const NIL = '00000000-0000-0000-0000-000000000000';
/** No event comes after it in its block. */
export const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface Changes {
  /** `<block>:<event id>`; null = from the beginning. */
  readonly after: string | null;
  readonly head: number;
  readonly limit: number;
}

/** Events that landed, were voided or superseded, by block and id. */
export function eventChanges(tx: TenantTx, chainId: number, { after, head, limit }: Changes): Promise<readonly Change[]> {
  const [block, id] = after === null ? ['-1', NIL] : (after.split(':') as [string, string]);
  return tx.sql<Change>(CHANGED, [tx.tenantId, chainId, block, id, head, limit]);
}

/** A correction of a correction changes the words of the first. */
const CHANGED = `with recursive changed as (
    select * from (
    (select id, block_number from traceability.event_key_v1
     where tenant_id = $1 and chain_id = $2 and block_number >= $3::bigint and block_number <= $5
       and (block_number, id) > ($3::bigint, $4::uuid)
     order by block_number, id limit $6)
    union all
    (select id, block_number from traceability.event_change_v1
     where tenant_id = $1 and chain_id = $2 and change = 'voided' and block_number >= $3::bigint and block_number <= $5
       and (block_number, id) > ($3::bigint, $4::uuid)
     order by block_number, id limit $6)
    union all
    (select id, block_number from traceability.event_change_v1
     where tenant_id = $1 and chain_id = $2 and change = 'superseded' and block_number >= $3::bigint and block_number <= $5
       and (block_number, id) > ($3::bigint, $4::uuid)
     order by block_number, id limit $6)
    ) each_kind order by block_number, id limit $6
  ), up as (
    select c.id, c.block_number, c.id as root, 0 as step from changed c
    union all
    select u.id, u.block_number, e.supersedes, u.step + 1 from up u
    join traceability.event_v1 e on e.tenant_id = $1 and e.id = u.root
    where e.supersedes is not null and u.step < 100
  )
  select distinct on (block_number, id) id, block_number::float8 as block, root from up order by block_number, id, step desc`;
