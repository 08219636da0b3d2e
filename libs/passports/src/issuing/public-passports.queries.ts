import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { PassportAddress } from './passport-address.js';

/** Which passport an address leads to. */
export interface PassportKey {
  readonly tenantId: string;
  readonly id: string;
}

/** A passport at an address, and whose it is. */
export interface AddressedPassport extends PassportKey {
  readonly link: string | null;
  readonly tenantSlug: string;
  readonly tenantName: string;
  /** Not withdrawn, of a tenant that shows passports. */
  readonly isShown: boolean;
}

const ADDRESSED = `select p.tenant_id as "tenantId", p.id, p.link, t.slug as "tenantSlug", t.name as "tenantName",
    p.withdrawn_at is null and coalesce(s.enabled, false) as "isShown"
  from passports.passport p join identity.tenant_v1 t on t.tenant_id = p.tenant_id
  left join passports.setting s on s.tenant_id = p.tenant_id`;

/** Finds passports for readers who know an address and no tenant. */
@Injectable()
export class PublicPassportsQueries {
  /** Of any tenant: those that are shown, then the others; the first issued first. */
  find(tx: SystemTx, address: PassportAddress, most: number): Promise<readonly AddressedPassport[]> {
    if ('id' in address) return tx.sql<AddressedPassport>(`${ADDRESSED} where p.id = $1`, [address.id]);
    // A void frees the code for another lot.
    if ('code' in address)
      return tx.sql<AddressedPassport>(`${ADDRESSED} where t.slug = $1 and p.key = $2 order by p.issued_at desc, p.id limit 1`, [
        address.tenant,
        address.code,
      ]);
    return tx.sql<AddressedPassport>(
      `${ADDRESSED} where p.link = $1 and ($2::text is null or p.tlc = $2) and ($3::text is null or t.slug = $3)
       order by p.withdrawn_at is null and coalesce(s.enabled, false) desc, p.issued_at, p.id limit $4`,
      [address.link, address.lot, address.tenant, most],
    );
  }

  /** Those links of a list at which other tenants show a passport, too. */
  async shared(tx: SystemTx, tenantId: string, links: readonly string[]): Promise<ReadonlySet<string>> {
    if (links.length === 0) return new Set();
    const rows = await tx.sql<{ readonly link: string }>(
      `select distinct p.link from passports.passport p join passports.setting s on s.tenant_id = p.tenant_id and s.enabled
       where p.link = any($2::text[]) and p.tenant_id <> $1 and p.withdrawn_at is null`,
      [tenantId, links],
    );
    return new Set(rows.map(({ link }) => link));
  }

  /** What a lot's page depends on by itself, as one text: while the text is the same, so is the page. */
  async stamp(tx: TenantTx, id: string): Promise<string | null> {
    const [row] = await tx.sql<{ stamp: string }>(
      `select concat_ws('|', l.status, (
           select count(*) from traceability.lot_v1 s where s.tenant_id = l.tenant_id and s.tlc_hash = l.tlc_hash and s.split_from is not null
             and s.retire_reason is distinct from 'voided' and s.retired_at is null), l.recalled_at, l.retired_at, p.withdrawn_at, p.check_result, s.enabled, s.changed_at,
         (select string_agg(r.recall_id || coalesce(r.reason, ''), ',' order by r.recall_id) from recall.open_recall_v1 r
          where r.tenant_id = p.tenant_id and (r.token_id = p.token_id or r.token_id in (
            select s.token_id from traceability.lot_v1 s where s.tenant_id = l.tenant_id and s.tlc_hash = l.tlc_hash and s.split_from is not null
              and s.retire_reason is distinct from 'voided'))),
         (select md5(e.metadata::text) from traceability.event_v1 e
          where e.tenant_id = l.tenant_id and e.id = l.mint_event_id and e.superseded_by is not null)) as stamp
       from passports.passport p
       left join passports.setting s on s.tenant_id = p.tenant_id
       left join traceability.lot_v1 l on l.tenant_id = p.tenant_id and l.token_id = p.token_id and l.tlc = p.tlc
       where p.tenant_id = $1 and p.id = $2`,
      [tx.tenantId, id],
    );
    return row?.stamp ?? null;
  }
}
