import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Lineage, Lineages, type RecordedEvent } from '../../ports.js';
import { EVENTS_OF_TREE, TREE } from './tree.js';

type Row = Omit<RecordedEvent, 'makes'> & { readonly makes: string | null; readonly own: boolean };

/** Events, and those that corrected what they say: the public reads the words of the last. */
const RECORDED = `
  with recursive told(id, better) as (
    select e.id, e.superseded_by from traceability.lot_v1 l
    join traceability.event_v1 e on e.tenant_id = l.tenant_id and e.id = any($4::uuid[] || l.mint_event_id)
    where l.tenant_id = $1 and l.token_id = $2 and l.tlc = $3 and (e.counts or e.id = l.mint_event_id)
    union
    select a.id, a.superseded_by from told t join traceability.event_v1 a on a.tenant_id = $1 and a.id = t.better
  )
  select e.id, e.contract_address as contract, e.ipfs_cid as cid, e.data_hash as "dataHash", e.tx_hash as "txHash", e.block_hash as "blockHash",
    e.block_number::float8 as "blockNumber", e.output_token_ids[1]::text as makes, e.id = l.mint_event_id as own
  from traceability.lot_v1 l
  join traceability.event_v1 e on e.tenant_id = l.tenant_id and e.id in (select id from told) and e.ipfs_cid is not null
  where l.tenant_id = $1 and l.token_id = $2 and l.tlc = $3
  order by own desc, e.block_number desc, e.log_index desc limit $5`;

@Injectable()
export class SqlLineages extends Lineages {
  override async of(tx: TenantTx, tokenId: bigint, tlc: string, most: number): Promise<Lineage | null> {
    const tree = most === 0 ? [String(tokenId)] : await treeOf(tx, tokenId, most);
    const ids = most === 0 ? [] : await tx.sql<{ id: string }>(EVENTS_OF_TREE, [tx.tenantId, tree]);
    const rows = await tx.sql<Row>(RECORDED, [tx.tenantId, tokenId, tlc, ids.map(({ id }) => id), most + 2]);
    if (!rows[0]?.own) return null;
    const kept = rows.slice(0, most + 1);
    const edges = await tx.sql<{ from: string; to: string; id: string }>(
      `select g.from_token as "from", g.to_token as "to", g.event_id as id from traceability.edge_v1 g
       where g.tenant_id = $1 and g.to_token = any($2::bigint[]) and g.event_id = any($3::uuid[]) and g.kind = 'transformation' and $4
       order by g.to_token, g.from_token limit 5000`,
      [tx.tenantId, tree, kept.map(({ id }) => id), most > 0],
    );
    return {
      events: kept.map(({ own: _own, makes, ...row }) => ({ ...row, makes: makes === null ? null : BigInt(makes) })),
      edges,
      complete: most > 0 && rows.length <= most + 1 && tree.length <= most + 1,
    };
  }
}

const treeOf = async (tx: TenantTx, tokenId: bigint, most: number): Promise<string[]> =>
  (await tx.sql<{ token: string }>(TREE, [tx.tenantId, tokenId, most + 2])).map(({ token }) => token);
