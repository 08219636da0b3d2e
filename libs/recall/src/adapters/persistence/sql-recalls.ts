import { type TenantTx, countOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type RecallRecord, Recalls } from '../../ports.js';

interface Row extends Omit<RecallRecord, 'lots'> {
  readonly logIndex: number;
  readonly lots: readonly { readonly tokenId: number; readonly liftedAt: string | null; readonly liftedBy: string | null }[];
}

const SELECT = `
  select r.id, r.reason, r.recall_class as "recallClass", r.depth, r.propagation, r.reference, r.instructions, r.resolved,
    r.recalled_by as "recalledBy", r.recalled_at as "recalledAt", r.block_number::integer as "blockNumber", r.log_index as "logIndex",
    r.tx_hash as "txHash", r.prepared_affected as "preparedAffected", r.prepared_block::integer as "preparedBlock",
    (select e.ended_at from recall.propagation_end e where e.tenant_id = r.tenant_id and e.recall_id = r.id) as "holdsReleasedAt", (
      select coalesce(jsonb_agg(jsonb_build_object('tokenId', l.token_id, 'liftedAt', l.lifted_at, 'liftedBy', l.lifted_by) order by l.token_id), '[]')
      from recall.recalled_lot l where l.tenant_id = r.tenant_id and l.recall_id = r.id) as lots
  from recall.recall r`;

/** Whether any of its lots still stands recalled by it. */
const OPEN = `exists (select from recall.recalled_lot l where l.tenant_id = r.tenant_id and l.recall_id = r.id and l.lifted_block is null)`;

@Injectable()
export class SqlRecalls extends Recalls {
  override async byId(tx: TenantTx, id: string): Promise<RecallRecord | null> {
    const [row] = await tx.sql<Row>(`${SELECT} where r.tenant_id = $1 and r.id = $2`, [tx.tenantId, id]);
    return row ? record(row) : null;
  }

  override async list(
    tx: TenantTx,
    { open }: { readonly open?: boolean | undefined },
    place: { readonly offset: number } | { readonly after: { readonly block: number; readonly log: number } },
    limit: number,
  ): Promise<{ readonly recalls: readonly (RecallRecord & { readonly logIndex: number })[]; readonly counted: number }> {
    const where = `r.tenant_id = $1${open === undefined ? '' : open ? ` and ${OPEN}` : ` and not ${OPEN}`}`;
    const [block, log] = 'after' in place ? [place.after.block, place.after.log] : [null, null];
    const rows = await tx.sql<Row>(
      `${SELECT} where ${where} and ($2::bigint is null or (r.block_number, r.log_index) < ($2, $3::integer))
       order by r.block_number desc, r.log_index desc limit $4 offset $5`,
      [tx.tenantId, block, log, limit, 'after' in place ? 0 : place.offset],
    );
    return { recalls: rows.map(record), counted: await countOf(tx, `recall.recall r where ${where}`, [tx.tenantId]) };
  }

  override async flaggedTogether(tx: TenantTx, tokenId: bigint): Promise<readonly bigint[]> {
    const rows = await tx.sql<{ token_id: string }>(
      `select l.token_id from recall.recalled_lot l
       where l.tenant_id = $1 and l.lifted_block is null and l.recall_id = (
         select o.recall_id from recall.recalled_lot o join recall.recall r on r.tenant_id = o.tenant_id and r.id = o.recall_id
         where o.tenant_id = $1 and o.token_id = $2 and o.lifted_block is null order by r.block_number desc, r.log_index desc limit 1)
       order by l.token_id`,
      [tx.tenantId, tokenId],
    );
    return rows.map((row) => BigInt(row.token_id));
  }
}

const record = (row: Row): RecallRecord & { readonly logIndex: number } => ({
  ...row,
  lots: row.lots.map(({ tokenId, liftedAt, liftedBy }) => ({
    tokenId: BigInt(tokenId),
    liftedAt: liftedAt === null ? null : new Date(liftedAt),
    liftedBy,
  })),
});
