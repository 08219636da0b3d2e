import type { SystemTx, TenantTx } from '#persistence';
import type { RecallSpan } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { RecallNotice } from '../../domain/recall-notice.js';
import { type UnreadNotice, UnreadNotices } from '../../ports.js';
import { sparingRecalls } from './recall-table.js';

/** A minute, two, four … up to about eleven hours between two turns. */
const MOST_DOUBLINGS = 9;

@Injectable()
export class SqlUnreadNotices extends UnreadNotices {
  override take(tx: SystemTx, now: Date, limit: number): Promise<readonly UnreadNotice[]> {
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

  override async write(tx: TenantTx, id: string, notice: RecallNotice): Promise<readonly bigint[]> {
    const rows = await tx.sql<{ token_id: string }>(
      `with read as (
         update recall.recall set reason = $3, recall_class = $4, depth = $5, propagation = $6, reference = $7, instructions = $8,
           prepared_affected = $9, prepared_block = $10, resolved = true
         where tenant_id = $1 and id = $2 and not resolved returning id)
       select l.token_id from read join recall.recalled_lot l on l.tenant_id = $1 and l.recall_id = read.id and l.lifted_block is null
       where not exists (select from recall.propagation_end e where e.tenant_id = $1 and e.recall_id = read.id)
       order by l.token_id`,
      [
        tx.tenantId,
        id,
        notice.reason,
        notice.recallClass,
        notice.depth,
        notice.propagation,
        notice.reference,
        notice.instructions,
        notice.prepared?.affected ?? null,
        notice.prepared?.block ?? null,
      ],
    );
    return rows.map((row) => BigInt(row.token_id));
  }

  override sparing(tx: TenantTx, id: string): Promise<readonly RecallSpan[]> {
    return sparingRecalls(tx, [id]);
  }
}
