import { ChainProfile } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';

const IN_BLOCKS = 'c.tenant_id = $1 and c.chain_id = $2 and c.block_number > $3 and c.block_number <= $4';

const CHANGED = `
  with recursive events as (
    select c.id from traceability.event_change_v1 c where ${IN_BLOCKS} and c.change = 'voided'
    union all
    select c.id from traceability.event_change_v1 c where ${IN_BLOCKS} and c.change = 'superseded'
    union all
    select c.id from traceability.event_change_v1 c join traceability.event_v1 e on e.tenant_id = $1 and e.id = c.id
    where ${IN_BLOCKS} and c.change = 'landed' and e.kind = 'observation'
  ), history(token) as (
    select n.token_id from traceability.event_lot_v1 n where n.tenant_id = $1 and n.event_id in (select id from events)
    union
    select g.to_token from history t join traceability.edge_v1 g on g.tenant_id = $1 and g.from_token = t.token and g.kind <> 'containment'
  ), changed as (
    select token from history
    union
    select c.token_id from traceability.lot_change_v1 c where ${IN_BLOCKS}
    union
    select unnest(r.token_ids) from recall.recall_change_v1 r where r.tenant_id = $1 and r.block_number > $3 and r.block_number <= $4
  )
  select distinct p.id from changed t join passports.passport p on p.tenant_id = $1 and p.token_id = t.token
  where p.withdrawn_at is null order by p.id`;

/** Passports whose documents may have changed without anybody reading them. */
@Injectable()
export class ChangedPassportsQueries {
  constructor(private readonly chain: ChainProfile) {}

  /**
   * Blocks up to which changes are archived and passports are issued; until the end of the transaction nobody else archives for this tenant.
   * Null while another does.
   */
  async lockArchived(tx: TenantTx): Promise<{ readonly archivedTo: number; readonly issuedTo: number } | null> {
    const [row] = await tx.sql<{ archivedTo: string; issuedTo: string }>(
      'select archived_to as "archivedTo", issued_to as "issuedTo" from passports.setting where tenant_id = $1 and enabled for update skip locked',
      [tx.tenantId],
    );
    return row ? { archivedTo: Number(row.archivedTo), issuedTo: Number(row.issuedTo) } : null;
  }

  async advance(tx: TenantTx, block: number): Promise<void> {
    await tx.sql('update passports.setting set archived_to = $2 where tenant_id = $1 and archived_to < $2', [tx.tenantId, block]);
  }

  /** Those that nobody has read yet. */
  async unread(tx: TenantTx, most: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ id: string }>(
      'select p.id from passports.passport p where p.tenant_id = $1 and p.content_hash is null and p.withdrawn_at is null order by p.id limit $2',
      [tx.tenantId, most],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Those whose lots these blocks changed or recalled, or in whose history they observed, corrected or voided something; `after` excluded.
   * What was made of a lot has nothing new in its history when more is made of it.
   */
  async changed(tx: TenantTx, after: number, upTo: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ id: string }>(CHANGED, [tx.tenantId, this.chain.chainId, after, upTo]);
    return rows.map(({ id }) => id);
  }
}
