import type { PreparedFor } from '#kernel';
import { type SystemTx, type TenantTx, countOf } from '#persistence';
import type { RecallSpan } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { Recall, RecallNotice } from './recall.js';

/** A recall that landed, as it is read. */
export interface RecallRecord {
  readonly id: string;
  readonly reason: string | null;
  readonly recallClass: string | null;
  readonly depth: string | null;
  readonly propagation: string;
  readonly reference: string | null;
  readonly instructions: string | null;
  readonly resolved: boolean;
  readonly recalledBy: string;
  readonly senderMismatch: boolean;
  readonly preparedSender: string | null;
  readonly recalledAt: Date;
  readonly blockNumber: number;
  readonly logIndex: number;
  readonly txHash: string;
  /** Affected lots when it was prepared; null when it was not prepared by this service. */
  readonly preparedAffected: number | null;
  readonly preparedBlock: number | null;
  readonly holdsReleasedAt: Date | null;
  /** Lots for which somebody has answered. */
  readonly acknowledged: number;
  readonly lots: readonly RecalledLot<bigint, Date>[];
}

interface RecalledLot<Id, Time> {
  readonly tokenId: Id;
  readonly tlc: string | null;
  readonly liftedAt: Time | null;
  readonly liftedBy: string | null;
  readonly liftSenderMismatch: boolean;
  readonly liftPreparedSender: string | null;
  readonly liftReason: string | null;
}

interface RecallRow extends Omit<RecallRecord, 'lots'> {
  readonly lots: readonly RecalledLot<number, string>[];
}

interface Lift {
  readonly chainId: number;
  readonly tokenIds: readonly bigint[];
  readonly liftedBy: string;
  readonly senderMismatch: boolean;
  readonly preparedSender: string | null;
  readonly reason: string | null;
  readonly at: Date;
  readonly block: number;
  readonly txHash: string;
}

const SELECT = `
  select r.id, r.reason, r.recall_class as "recallClass", r.depth, r.propagation, r.reference, r.instructions, r.resolved,
    r.recalled_by as "recalledBy", r.sender_mismatch as "senderMismatch", r.prepared_sender as "preparedSender", r.recalled_at as "recalledAt", r.block_number::integer as "blockNumber", r.log_index as "logIndex",
    r.tx_hash as "txHash", r.prepared_affected as "preparedAffected", r.prepared_block::integer as "preparedBlock",
    (select e.ended_at from recall.propagation_end e where e.tenant_id = r.tenant_id and e.recall_id = r.id) as "holdsReleasedAt",
    (select count(distinct a.token_id) from recall.acknowledgement a where a.tenant_id = r.tenant_id and a.recall_id = r.id)::int as acknowledged, (
      select coalesce(jsonb_agg(jsonb_build_object('tokenId', l.token_id, 'tlc', (
        select v.tlc from traceability.lot_v1 v where v.tenant_id = l.tenant_id and v.token_id = l.token_id), 'liftedAt', l.lifted_at, 'liftedBy', l.lifted_by,
        'liftSenderMismatch', l.lifted_sender_mismatch, 'liftPreparedSender', l.lifted_prepared_sender, 'liftReason', l.lifted_reason) order by l.token_id), '[]')
      from recall.recalled_lot l where l.tenant_id = r.tenant_id and l.recall_id = r.id) as lots
  from recall.recall r`;

/** Whether any of its lots is still recalled by it. */
const OPEN = `exists (select from recall.recalled_lot l where l.tenant_id = r.tenant_id and l.recall_id = r.id and l.lifted_block is null)`;

/** Whether it flagged one of the lots $2 and that one is still recalled by it; null: all. */
const OF_ROOTS = `($2::bigint[] is null or exists (
  select from recall.recalled_lot l where l.tenant_id = r.tenant_id and l.recall_id = r.id and l.lifted_block is null and l.token_id = any($2::bigint[])))`;

/** Recalls that landed, each a call of the contract, and the lots that they flagged. */
@Injectable()
export class RecallQueries {
  async byId(tx: TenantTx, id: string): Promise<RecallRecord | null> {
    const [row] = await tx.sql<RecallRow>(`${SELECT} where r.tenant_id = $1 and r.id = $2`, [tx.tenantId, id]);
    return row ? recordOf(row) : null;
  }

  /** Newest first. @param after continues after this place in the order */
  async list(
    tx: TenantTx,
    { open, roots }: { readonly open?: boolean | undefined; readonly roots?: readonly bigint[] | undefined },
    place: { readonly offset: number } | { readonly after: { readonly block: number; readonly log: number } },
    limit: number,
  ): Promise<{ readonly recalls: readonly RecallRecord[]; readonly counted: number }> {
    // Without a filter all of them count: the parameter has its type in each statement.
    const where = `r.tenant_id = $1${open === undefined ? '' : open ? ` and ${OPEN}` : ` and not ${OPEN}`} and ${OF_ROOTS}`;
    const wanted = roots?.map(String) ?? null;
    const [block, log] = 'after' in place ? [place.after.block, place.after.log] : [null, null];
    const page = tx.sql<RecallRow>(
      `${SELECT} where ${where} and ($3::bigint is null or (r.block_number, r.log_index) < ($3, $4::integer))
       order by r.block_number desc, r.log_index desc limit $5 offset $6`,
      [tx.tenantId, wanted, block, log, limit, 'after' in place ? 0 : place.offset],
    );
    const [rows, counted] = await Promise.all([page, countOf(tx, `recall.recall r where ${where}`, [tx.tenantId, wanted])]);
    return { recalls: rows.map(recordOf), counted };
  }

  /** Lots that are still recalled by the recall that flagged this one last. */
  async flaggedTogether(tx: TenantTx, tokenId: bigint): Promise<readonly bigint[]> {
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

  async save(tx: TenantTx, recall: Recall): Promise<void> {
    const { notice } = recall;
    await tx.sql(
      `insert into recall.recall (tenant_id, id, chain_id, contract, data_hash, reason, recall_class, depth, propagation, reference,
         instructions, resolved, recalled_by, recalled_at, block_number, tx_hash, log_index, tx_log_index, prepared_affected, prepared_block,
         sender_mismatch, prepared_sender)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
      [
        ...[tx.tenantId, recall.id, recall.chainId, recall.contract, recall.dataHash],
        ...[notice.reason, notice.recallClass, notice.depth, notice.propagation, notice.reference, notice.instructions],
        ...[recall.resolved, recall.recalledBy, recall.at, recall.block, recall.txHash, recall.logIndex, recall.txLogIndex],
        ...[notice.prepared?.affected ?? null, notice.prepared?.block ?? null, recall.senderMismatch, recall.preparedSender],
      ],
    );
    await tx.sql(
      'insert into recall.recalled_lot (tenant_id, token_id, recall_id, chain_id) select $1, t, $2, $3 from unnest($4::bigint[]) as t',
      [tx.tenantId, recall.id, recall.chainId, recall.tokenIds.map(String)],
    );
  }

  /** Marks the open recall of each lot as lifted. */
  async lift(tx: TenantTx, lift: Lift): Promise<void> {
    await tx.sql(
      `update recall.recalled_lot set lifted_by = $1, lifted_at = $2, lifted_block = $3, lifted_tx = $4, lifted_sender_mismatch = $7,
         lifted_prepared_sender = $8, lifted_reason = $9
       where token_id = any($5::bigint[]) and chain_id = $6 and lifted_block is null`,
      [
        ...[lift.liftedBy, lift.at, lift.block, lift.txHash, lift.tokenIds.map(String), lift.chainId],
        ...[lift.senderMismatch, lift.preparedSender, lift.reason],
      ],
    );
  }

  /** Stores for whom a notice was prepared. The hash of a notice is that of no other one: it has a random id. */
  async storePrepared(tx: TenantTx, dataHash: string, { sender, orgId }: PreparedFor, at: Date): Promise<void> {
    await tx.sql(
      `insert into recall.prepared_notice (tenant_id, data_hash, sender, org_id, prepared_at) values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
      [tx.tenantId, dataHash, sender, orgId, at],
    );
  }

  /** Null for a notice that was not prepared here. */
  async preparedFor(tx: TenantTx, dataHash: string): Promise<PreparedFor | null> {
    const [row] = await tx.sql<PreparedFor>(
      'select sender, org_id as "orgId" from recall.prepared_notice where tenant_id = $1 and data_hash = $2',
      [tx.tenantId, dataHash],
    );
    return row ?? null;
  }

  /**
   * For recalls with propagation `none`: the lots that they flagged, lifted ones too, each until it was recalled again.
   * When one block recalls a lot twice, the last recall counts.
   */
  async flaggedWithoutPropagation(tx: TenantTx, ids: readonly string[]): Promise<readonly RecallSpan[]> {
    const rows = await tx.sql<{ root: string; since: string; until: string | null }>(
      `select l.token_id as root, r.block_number as since, (
           select min(n.block_number) from recall.recalled_lot o
           join recall.recall n on n.tenant_id = o.tenant_id and n.id = o.recall_id and n.chain_id = r.chain_id
           where o.tenant_id = $1 and o.token_id = l.token_id and (n.block_number, n.log_index) > (r.block_number, r.log_index)) as until
       from recall.recall r join recall.recalled_lot l on l.tenant_id = $1 and l.recall_id = r.id
       where r.tenant_id = $1 and r.id = any($2::uuid[]) and r.propagation = 'none'`,
      [tx.tenantId, ids],
    );
    return rows.map((row) => ({ root: BigInt(row.root), from: Number(row.since), until: row.until === null ? null : Number(row.until) }));
  }

  async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    await tx.sql('delete from recall.recall where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
    await tx.sql(
      `update recall.recalled_lot set lifted_by = null, lifted_at = null, lifted_block = null, lifted_tx = null, lifted_sender_mismatch = false,
         lifted_prepared_sender = null, lifted_reason = null
       where chain_id = $1 and lifted_block > $2`,
      [chainId, lastGoodBlock],
    );
  }
}

const recordOf = (row: RecallRow): RecallRecord => ({
  ...row,
  lots: row.lots.map(({ tokenId, liftedAt, ...lifting }) => ({
    tokenId: BigInt(tokenId),
    liftedAt: liftedAt === null ? null : new Date(liftedAt),
    ...lifting,
  })),
});

/** A recall whose notice could not be read yet. */
export interface UnreadNotice {
  readonly tenantId: string;
  readonly id: string;
  readonly dataHash: string;
  readonly recalledBy: string;
  readonly chainId: number;
}

/** The wait between two attempts doubles: one minute, two, four, … up to about eleven hours. */
const MOST_DOUBLINGS = 9;

/** Notices that content storage did not have when their recall landed. */
@Injectable()
export class NoticeQueries {
  /** Notices that are due; sets the time of their next attempt. Another process does not get the same ones. */
  acquire(tx: SystemTx, now: Date, limit: number): Promise<readonly UnreadNotice[]> {
    return tx.sql<UnreadNotice>(
      `with due as (
         select tenant_id, id from recall.recall
         where not resolved and (notice_next_at is null or notice_next_at <= $1)
         order by notice_next_at nulls first limit $2 for update skip locked)
       update recall.recall r
       set notice_tries = least(notice_tries + 1, $3::integer),
         notice_next_at = $1::timestamptz + interval '1 minute' * power(2, notice_tries)
       from due where r.tenant_id = due.tenant_id and r.id = due.id
       returning r.tenant_id as "tenantId", r.id, r.data_hash as "dataHash", r.recalled_by as "recalledBy", r.chain_id::integer as "chainId"`,
      [now, limit, MOST_DOUBLINGS],
    );
  }

  /**
   * @returns the lots that are recalled by it and may put others on hold; none when the notice was read already, its block was taken back, or
   * its holds were ended
   */
  async save(tx: TenantTx, id: string, notice: RecallNotice): Promise<readonly bigint[]> {
    const rows = await tx.sql<{ token_id: string }>(
      `with read as (
         update recall.recall set reason = $3, recall_class = $4, depth = $5, propagation = $6, reference = $7, instructions = $8,
           prepared_affected = $9, prepared_block = $10, resolved = true
         where tenant_id = $1 and id = $2 and not resolved returning id)
       select l.token_id from read join recall.recalled_lot l on l.tenant_id = $1 and l.recall_id = read.id and l.lifted_block is null
       where not exists (select from recall.propagation_end e where e.tenant_id = $1 and e.recall_id = read.id)
       order by l.token_id`,
      [
        ...[tx.tenantId, id],
        ...[notice.reason, notice.recallClass, notice.depth, notice.propagation, notice.reference, notice.instructions],
        ...[notice.prepared?.affected ?? null, notice.prepared?.block ?? null],
      ],
    );
    return rows.map((row) => BigInt(row.token_id));
  }
}
