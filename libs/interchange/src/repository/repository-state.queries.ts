import { type ChainPosition, ChainProfile } from '#chain';
import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { ReplacedEvent } from './pending-events.queries.js';

/** How far the chain was followed; `seen` is its position at the last complete pass. */
export interface Followed {
  readonly finalBlock: number;
  readonly seen: { readonly head: number; readonly final: number } | null;
}

/** Which events have to be written again. */
@Injectable()
export class RepositoryStateQueries {
  constructor(private readonly chain: ChainProfile) {}

  /** Locks the tenant for this transaction. @returns null if another process has it */
  async acquire(tx: TenantTx): Promise<Followed | null> {
    await tx.sql('insert into interchange.epcis_cursor (tenant_id) values ($1) on conflict do nothing', [tx.tenantId]);
    const [row] = await tx.sql<{ final: string; head: string | null; seenFinal: string | null }>(
      `select final_block as final, seen_head as head, seen_final as "seenFinal" from interchange.epcis_cursor where tenant_id = $1
       for update skip locked`,
      [tx.tenantId],
    );
    if (!row) return null;
    return { finalBlock: Number(row.final), seen: row.head === null ? null : { head: Number(row.head), final: Number(row.seenFinal) } };
  }

  async save(tx: TenantTx, { finalBlock, seen }: Followed): Promise<void> {
    await tx.sql('update interchange.epcis_cursor set final_block = $2, seen_head = $3, seen_final = $4 where tenant_id = $1', [
      tx.tenantId,
      finalBlock,
      seen?.head ?? null,
      seen?.final ?? null,
    ]);
  }

  /** Blocks behind `after` in which events landed, were voided or superseded, in their order, one row a change. */
  async changes(
    tx: TenantTx,
    after: number,
    head: number,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly block: number }[]> {
    const rows = await tx.sql<{ id: string; block: string }>(CHANGES, [tx.tenantId, this.chain.chainId, after, head, limit]);
    return rows.map(({ id, block }) => ({ id, block: Number(block) }));
  }

  /** Keys of rows that blocks wrote which can be undone. */
  async undoable(tx: TenantTx, after: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ key: string }>(
      'select distinct key from interchange.epcis_event where tenant_id = $1 and block_number > $2',
      [tx.tenantId, after],
    );
    return rows.map(({ key }) => key);
  }

  /** Events of which values were erased, and those whose content was found without a block. */
  async due(tx: TenantTx, limit: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ id: string }>(
      `(select d.event_id::text as id from interchange.epcis_due d where d.tenant_id = $1 limit $2)
       union
       (select e.id::text from interchange.epcis_event i
        join traceability.event_v1 e on e.tenant_id = $1 and e.id = substr(i.key, 7)::uuid and e.resolved
        where i.tenant_id = $1 and i.is_unresolved and i.key like 'event:%' limit $2)`,
      [tx.tenantId, limit],
    );
    return rows.map(({ id }) => id);
  }

  async settle(tx: TenantTx, ids: readonly string[]): Promise<void> {
    await tx.sql('delete from interchange.epcis_due where tenant_id = $1 and event_id = any($2::uuid[])', [tx.tenantId, ids]);
  }

  /** What the list of events does not say of each: the block of its last change, and whether its content is known. */
  async facts(
    tx: TenantTx,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly block: number; readonly isUnresolved: boolean }>> {
    const rows = await tx.sql<{ id: string; block: string; resolved: boolean }>(
      `select e.id, e.resolved, (select max(c.block_number) from traceability.event_change_v1 c where c.tenant_id = $1 and c.id = e.id) as block
       from traceability.event_v1 e where e.tenant_id = $1 and e.id = any($2::uuid[])`,
      [tx.tenantId, ids],
    );
    return new Map(rows.map(({ id, block, resolved }) => [id, { block: Number(block), isUnresolved: !resolved }]));
  }

  /** What was kept of events until they landed. */
  async kept(tx: TenantTx, ids: readonly string[]): Promise<readonly ReplacedEvent[]> {
    return tx.sql<ReplacedEvent>(
      `select k.key as kept, 'event:' || c.event_id as key from interchange.captured_event c
       cross join lateral (
         select e.key from interchange.epcis_event e
         where e.tenant_id = $1 and e.key >= 'kept:' || c.event_hash || ' ' and e.key < 'kept:' || c.event_hash || '!' offset 0) k
       where c.tenant_id = $1 and c.event_id = any($2::uuid[])`,
      [tx.tenantId, ids],
    );
  }

  /** Tenants in which something has to be written, by what the chain has behind the blocks that are final in the repository. */
  behind(tx: SystemTx, { head, final }: ChainPosition): Promise<{ tenantId: string; slug: string }[]> {
    return tx.sql<{ tenantId: string; slug: string }>(BEHIND, [this.chain.chainId, head, final]);
  }
}

const CHANGES = `select id, block_number as block from (
    (select id, block_number from traceability.event_key_v1
     where tenant_id = $1 and chain_id = $2 and block_number > $3 and block_number <= $4 order by block_number, id limit $5)
    union all
    (select id, block_number from traceability.event_change_v1
     where tenant_id = $1 and chain_id = $2 and change = 'voided' and block_number > $3 and block_number <= $4 order by block_number, id limit $5)
    union all
    (select id, block_number from traceability.event_change_v1
     where tenant_id = $1 and chain_id = $2 and change = 'superseded' and block_number > $3 and block_number <= $4 order by block_number, id limit $5)
  ) c order by block_number, id limit $5`;

const BEHIND = `select t.tenant_id as "tenantId", t.slug from identity.tenant_v1 t
  left join interchange.epcis_cursor c on c.tenant_id = t.tenant_id
  cross join lateral (select coalesce(c.final_block, -1) as after) a
  where exists (select from interchange.epcis_due d where d.tenant_id = t.tenant_id)
    or exists (select from interchange.epcis_event i join traceability.event_v1 e on e.tenant_id = t.tenant_id and e.id = substr(i.key, 7)::uuid
               where i.tenant_id = t.tenant_id and i.is_unresolved and e.resolved)
    or (c.seen_head is distinct from $2 or c.seen_final is distinct from $3) and (
      exists (select from traceability.event_key_v1 e where e.tenant_id = t.tenant_id and e.chain_id = $1 and e.block_number > a.after)
      or exists (select from traceability.event_change_v1 e where e.tenant_id = t.tenant_id and e.chain_id = $1 and e.change = 'voided' and e.block_number > a.after)
      or exists (select from traceability.event_change_v1 e where e.tenant_id = t.tenant_id and e.chain_id = $1 and e.change = 'superseded' and e.block_number > a.after)
      or exists (select from custody.offer_change_v1 o where o.tenant_id = t.tenant_id and o.chain_id = $1 and o.block_number > a.after)
      or exists (select from custody.closing_change_v1 o where o.tenant_id = t.tenant_id and o.chain_id = $1 and o.block_number > a.after)
      or exists (select from recall.recall_change_v1 r where r.tenant_id = t.tenant_id and r.block_number > a.after)
      or exists (select from interchange.epcis_event i where i.tenant_id = t.tenant_id and i.block_number > a.after))
  order by t.slug`;
