import type { DigitalLink } from '#kernel';
import type { SystemTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { FoundLink } from './resolver-links.js';

/** Of one Digital Link over all tenants; passports come first. */
const MOST = 2_000;

/** Finds passports and links of tenants for readers who know a key of GS1 and no tenant. */
@Injectable()
export class ResolverQueries {
  /** @param tenant slug of the only tenant to ask; null: all */
  find(tx: SystemTx, { levels, lot }: Pick<DigitalLink, 'levels' | 'lot'>, tenant: string | null): Promise<readonly FoundLink[]> {
    return tx.sql<FoundLink>(
      `select f.tenant_id as "tenantId", t.slug as "tenantSlug", t.name as "tenantName", s.resolver, f.anchor, f.id as "passportId",
         f.is_open and (f.id is null or coalesce(s.enabled, false)) as "isShown", f.link
       from (
         select tenant_id, link as anchor, id, withdrawn_at is null as is_open, null::jsonb as link, issued_at as made_at
         from passports.passport where link = any($1::text[]) and ($2::text is null or serial is null or tlc = $2)
         union all
         select tenant_id, anchor, null, true, jsonb_build_object('linkType', link_type, 'href', href, 'title', title,
           'mediaType', media_type, 'languages', languages, 'isDefault', is_default), created_at
         from passports.link where anchor = any($1::text[])
       ) f join identity.tenant_v1 t on t.tenant_id = f.tenant_id left join passports.setting s on s.tenant_id = f.tenant_id
       where $3::text is null or t.slug = $3
       order by f.id is null, f.made_at, f.link->>'href' limit ${MOST}`,
      [levels, lot, tenant],
    );
  }
}
