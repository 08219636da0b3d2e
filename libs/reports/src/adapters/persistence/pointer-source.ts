import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertSource, type Fresh } from '../../alerts.ports.js';
import type { PointerFacts } from '../../domain/alerts/facts.js';
import { BATCH, allOf } from './alert-source.js';

/** Pointers that were found broken when they were checked last; the subject of a look is what they belong to. */
@Injectable()
export class PointerSource extends AlertSource<PointerFacts> {
  override async fresh(tx: TenantTx): Promise<Fresh> {
    return allOf(
      await tx.sql(
        `select distinct p.subject_id as id from reports.pointer p
         where p.tenant_id = $1 and p.status in ('mismatch', 'unresolved')
           and (p.kind in ('cid', 'document') or (p.kind in ('nft', 'dataHash', 'tx') and p.status = 'mismatch'))
           and not exists (select from reports.alert a where a.tenant_id = $1 and a.source = 'pointer' and a.subject_id = p.subject_id
             and a.key = p.id and a.resolved_at is null
             and a.type = case when p.kind not in ('cid', 'document') then 'CHAIN_DRIFT' when p.status = 'mismatch' then 'CID_MISMATCH' else 'CID_UNRESOLVED' end)
         limit ${BATCH}`,
        [tx.tenantId],
      ),
    );
  }

  override facts(tx: TenantTx, ids: readonly string[]): Promise<readonly PointerFacts[]> {
    return tx.sql<PointerFacts>(
      `select id as "pointerId", kind, status, value, detail, checked_at as "checkedAt", process_type as "processType", subject_kind as "subjectKind", subject_id as "subjectId",
         token_id::float8 as "tokenId", tlc, org_ids as "orgIds"
       from reports.pointer where tenant_id = $1 and subject_kind in ('lot', 'event') and subject_id = any ($2) and status in ('mismatch', 'unresolved')
       order by id`,
      [tx.tenantId, ids],
    );
  }
}
