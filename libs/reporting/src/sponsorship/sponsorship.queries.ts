import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import type { ReportScope } from '../reports/report.js';
import type { SponsoredKeyView } from './sponsorship.dto.js';

@Injectable()
export class SponsorshipReportQueries {
  /** By what they cost, dearest first. */
  read(tx: TenantTx, { from, to, organisation }: Pick<ReportScope, 'from' | 'to' | 'organisation'>): Promise<readonly SponsoredKeyView[]> {
    return tx.sql<SponsoredKeyView>(
      `select r.account, p.label, p.org_id as "orgId", p.org_name as "orgName", r.signed_by as "signedBy", r.paid_by as "paidBy",
         count(*)::int as batches, sum(r.calls)::int as calls,
         (count(*) filter (where r.status = 'mined'))::int as mined, (count(*) filter (where r.status = 'reverted'))::int as reverted,
         (count(*) filter (where r.status in ('expired', 'refused')))::int as "notSent",
         (count(*) filter (where r.status in ('queued', 'sent')))::int as underway,
         coalesce(sum(r.wei) filter (where r.status not in ('queued', 'sent')), 0)::text as wei
       from transactions.relay_v1 r
       left join identity.party_v1 p on p.tenant_id = r.tenant_id and p.address = r.account
       where r.tenant_id = $1 and ($2::timestamptz is null or r.created_at >= $2) and ($3::timestamptz is null or r.created_at < $3)
         and ($4::text is null or p.org_id::text = $4)
       group by r.account, p.label, p.org_id, p.org_name, r.signed_by, r.paid_by
       order by coalesce(sum(r.wei) filter (where r.status not in ('queued', 'sent')), 0) desc, r.account, r.signed_by, r.paid_by`,
      [tx.tenantId, from, to, organisation?.orgId ?? null],
    );
  }
}
