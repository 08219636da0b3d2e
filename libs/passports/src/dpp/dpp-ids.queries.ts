import type { SystemTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { PassportAddress } from '../issuing/passport-address.js';

/** A passport that is shown, by the first product identifier of a request that names it. */
export interface NamedPassport {
  /** Of the identifier in the request, from 0. */
  readonly place: number;
  readonly id: string;
}

const SHOWN = `p.withdrawn_at is null and exists (select from passports.setting s where s.tenant_id = p.tenant_id and s.enabled)`;

const NAMED = `
  with asked as (
    select a.* from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) as a(place, id, link, lot, tenant, code)
  ), found as (
    select a.place, p.id from asked a join passports.passport p on p.id = a.id where ${SHOWN}
    union all
    select a.place, p.id from asked a join passports.passport p on p.link = a.link and (a.lot is null or p.tlc = a.lot)
      left join identity.tenant_v1 t on t.tenant_id = p.tenant_id where (a.tenant is null or t.slug = a.tenant) and ${SHOWN}
    union all
    select a.place, p.id from asked a join identity.tenant_v1 t on t.slug = a.tenant
      join passports.passport p on p.tenant_id = t.tenant_id and p.key = a.code where a.code is not null and ${SHOWN}
  )
  select min(place)::integer as place, id from found group by id having (min(place), id) > ($7::integer, $8::text) order by 1, 2 limit $9`;

/** Passports of any tenant by what names their products. */
@Injectable()
export class DppIdsQueries {
  /** @param addresses null for an identifier that can name no passport @param after exclusive */
  async named(
    tx: SystemTx,
    addresses: readonly (PassportAddress | null)[],
    after: NamedPassport,
    most: number,
  ): Promise<readonly NamedPassport[]> {
    const asked = addresses.flatMap((address, place) => (address ? [{ place, ...columnsOf(address) }] : []));
    if (asked.length === 0) return [];
    const column = <Name extends keyof (typeof asked)[number]>(name: Name) => asked.map((one) => one[name]);
    return tx.sql<NamedPassport>(NAMED, [
      ...[column('place'), column('id'), column('link'), column('lot'), column('tenant'), column('code')],
      ...[after.place, after.id, most],
    ]);
  }
}

interface Columns {
  readonly id: string | null;
  readonly link: string | null;
  readonly lot: string | null;
  readonly tenant: string | null;
  readonly code: string | null;
}
const NOTHING: Columns = { id: null, link: null, lot: null, tenant: null, code: null };
const columnsOf = (address: PassportAddress): Columns => ({ ...NOTHING, ...address });
