import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { EVENTS_OF_TREE, TREE } from '../composing/public-facts.queries.js';
import type { CheckResult } from '../issuing/issued-passport.js';
import type { LandedEvent, LandedSplit, Lineage, MintEvidence } from './evidence.js';

type Row = Omit<LandedEvent, 'makes'> & { readonly makes: string | null; readonly own: boolean };

/** Events, and those that corrected them: the public reads the last correction. */
const RECORDED = `
  with recursive corrected(id, correction) as (
    select e.id, e.superseded_by from traceability.lot_v1 l
    join traceability.event_v1 e on e.tenant_id = l.tenant_id and e.id = any($4::uuid[] || l.mint_event_id)
    where l.tenant_id = $1 and l.token_id = $2 and l.tlc = $3 and (e.counts or e.id = l.mint_event_id)
    union
    select a.id, a.superseded_by from corrected t join traceability.event_v1 a on a.tenant_id = $1 and a.id = t.correction
  )
  select e.id, e.contract_address as contract, e.ipfs_cid as cid, e.data_hash as "dataHash", e.tx_hash as "txHash", e.block_hash as "blockHash",
    e.block_number::float8 as "blockNumber", e.output_token_ids[1]::text as makes, e.id = l.mint_event_id as own
  from traceability.lot_v1 l
  join traceability.event_v1 e on e.tenant_id = l.tenant_id and e.id in (select id from corrected) and e.ipfs_cid is not null
  where l.tenant_id = $1 and l.token_id = $2 and l.tlc = $3
  order by own desc, e.block_number desc, e.log_index desc limit $5`;

/** What evidence is made of, and when it was checked. */
@Injectable()
export class EvidenceQueries {
  /** Null where the lot does not exist, or has another code. @param most events beyond the lot's own; 0 = its own alone */
  async lineage(tx: TenantTx, tokenId: bigint, tlc: string, most: number): Promise<Lineage | null> {
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
    const splits = await tx.sql<LandedSplit>(
      `select l.split_from::text as "from", l.token_id::text as "to", l.mint_tx as "txHash" from traceability.lot_v1 l
       where l.tenant_id = $1 and l.token_id = any($2::bigint[]) and l.split_from is not null order by l.token_id limit $3`,
      [tx.tenantId, tree, most + 1],
    );
    return {
      splits,
      events: kept.map(({ own: _own, makes, ...row }) => ({ ...row, makes: makes === null ? null : BigInt(makes) })),
      edges,
      complete: most > 0 && rows.length <= most + 1 && tree.length <= most + 1,
    };
  }

  /**
   * Passports whose evidence was checked longest ago, before a time; null for a lot that is not on the chain any more, or has changed.
   */
  async due(tx: TenantTx, before: Date, most: number): Promise<readonly { readonly id: string; readonly evidence: MintEvidence | null }[]> {
    // Passports without a lot are among them: they were never checked, and would otherwise always be first.
    const rows = await tx.sql<{ id: string; found: boolean } & MintEvidence>(
      `select p.id, e.id is not null and l.metadata_cid is not null as found, e.id::text as "eventId", l.contract, l.mint_tx as "txHash", l.data_hash as "dataHash", l.metadata_cid as cid
       from (select * from passports.passport where tenant_id = $1 and (checked_at is null or checked_at < $2)
             order by checked_at nulls first limit $3) p
       left join traceability.lot_v1 l on l.tenant_id = p.tenant_id and l.token_id = p.token_id and l.tlc = p.tlc
       left join traceability.event_v1 e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id`,
      [tx.tenantId, before, most],
    );
    return rows.map(({ id, found, ...evidence }) => ({ id, evidence: found ? evidence : null }));
  }

  async record(tx: TenantTx, id: string, result: CheckResult, at: Date): Promise<void> {
    await tx.sql('update passports.passport set checked_at = $3, check_result = $4 where tenant_id = $1 and id = $2', [
      tx.tenantId,
      id,
      at,
      result,
    ]);
  }
}

const treeOf = async (tx: TenantTx, tokenId: bigint, most: number): Promise<string[]> =>
  (await tx.sql<{ token: string }>(TREE, [tx.tenantId, tokenId, most + 2])).map(({ token }) => token);
