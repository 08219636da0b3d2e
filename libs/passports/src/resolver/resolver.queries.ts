import type { DigitalLink } from '#kernel';
import type { SystemTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { FoundLink } from './resolver-links.js';

/** Of one level of a Digital Link over all tenants; passports come first. */
const MOST = 2_000;

/** One request for a Digital Link. */
export interface LinkQuestion {
  readonly link: Pick<DigitalLink, 'levels' | 'lot'>;
  /** Slug of the only tenant to ask; null: all. */
  readonly tenant: string | null;
}

/** Finds passports and links of tenants for readers who know a key of GS1 and no tenant. */
@Injectable()
export class ResolverQueries {
  /** @returns for each question what was found, in the order of the questions */
  async find(tx: SystemTx, questions: readonly LinkQuestion[]): Promise<readonly (readonly FoundLink[])[]> {
    const levels = questions.flatMap(({ link, tenant }, asked) => link.levels.map((anchor) => ({ asked, anchor, lot: link.lot, tenant })));
    const rows = await tx.sql<FoundLink & { readonly asked: number }>(
      `select q.asked, f.*
       from unnest($1::int[], $2::text[], $3::text[], $4::text[]) as q(asked, anchor, lot, tenant) cross join lateral (
         select f.tenant_id as "tenantId", t.slug as "tenantSlug", t.name as "tenantName", s.resolver, q.anchor, f.id as "passportId",
           f.is_open and (f.id is null or coalesce(s.enabled, false)) as "isShown", f.link, f.made_at as "madeAt"
         from (
           select tenant_id, id, withdrawn_at is null as is_open, null::jsonb as link, issued_at as made_at
           from passports.passport where link = q.anchor and (q.lot is null or serial is null or tlc = q.lot)
           union all
           select tenant_id, null, true, jsonb_build_object('linkType', link_type, 'href', href, 'title', title,
             'mediaType', media_type, 'languages', languages, 'isDefault', is_default), created_at
           from passports.link where anchor = q.anchor
         ) f join identity.tenant_v1 t on t.tenant_id = f.tenant_id left join passports.setting s on s.tenant_id = f.tenant_id
         where q.tenant is null or t.slug = q.tenant
         order by f.id is null, f.made_at, f.link->>'href' limit ${MOST}
       ) f
       order by f."passportId" is null, f."madeAt", f.link->>'href'`,
      [
        levels.map(({ asked }) => asked),
        levels.map(({ anchor }) => anchor),
        levels.map(({ lot }) => lot),
        levels.map(({ tenant }) => tenant),
      ],
    );
    const found = questions.map((): FoundLink[] => []);
    for (const { asked, ...row } of rows) found[asked]!.push(row);
    return found;
  }
}
