import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Sought } from './search.rules.js';
import type { FoundCompany, FoundDocument, FoundLot, FoundProduct } from './search.dto.js';

interface SearchResult {
  readonly lots: readonly FoundLot[];
  readonly products: readonly FoundProduct[];
  readonly companies: readonly FoundCompany[];
  readonly documents: readonly FoundDocument[];
}

/** Whose documents somebody finds; null = everybody's, or of every process. */
export interface DocumentReach {
  readonly orgId: string | null;
  readonly all: boolean;
  /** LIKE patterns. */
  readonly processes: readonly string[] | null;
}

const beyond = '\uFFFF';

@Injectable()
export class SearchQueries {
  /** One statement; each kind is read along an index, or in a table that a tenant keeps small, and at most `limit` of it. */
  async find(tx: TenantTx, sought: Sought, reach: DocumentReach, limit: number): Promise<SearchResult> {
    const { keyHash, gtin, beginnings, folded, part, address } = sought;
    const [row] = await tx.sql<SearchResult>(SEARCH, [
      ...[tx.tenantId, limit, keyHash, gtin, beginnings, beginnings.map((text) => text + beyond)],
      ...[part, address, reach.all, reach.orgId, reach.processes],
      ...[folded, folded === null ? null : folded + beyond],
    ]);
    return row!;
  }
}

const NEWEST_EVENTS = 5_000;

/** Whether the caller reads the documents of a use of one. */
const MAY_READ = (use: string): string =>
  `($9::boolean or ${use}.org_id = $10::text or ${use}.visibility = 'public') and ($11::text[] is null or ${use}.process_type like any($11::text[]))`;

/** Codes are compared by bytes, as their index is: row-level security keeps LIKE from using it. */
const SEARCH = `
  with products as materialized (
    select a.asset_type as "assetType", (array_agg(a.name order by a.published_at desc))[1] as name, max(a.gtin) as gtin
    from traceability.asset_type_v1 a
    where a.tenant_id = $1 and (lpad(a.gtin, 14, '0') = $4::text or strpos(lower(a.name), $7::text) > 0 or strpos(lower(a.asset_type), $7::text) > 0)
    group by a.asset_type order by 2 limit $2::integer
  ), companies as materialized (
    select o.id::text, o.name, o.gln, array(
      select w.address from identity.wallet_v1 w where w.tenant_id = $1 and w.org_id = o.id order by w.address) as wallets
    from identity.organisation_v1 o
    where o.tenant_id = $1 and (strpos(lower(o.name), $7::text) > 0 or o.gln = $7::text or exists (
      select from identity.wallet_v1 w where w.tenant_id = $1 and w.org_id = o.id and lower(w.address) = $8::text))
    order by o.name limit $2::integer
  ), matches as materialized (
    select token_id, min(place) as place from (
      (select l.token_id, 1 as place from traceability.lot_v1 l where l.tenant_id = $1 and l.tlc_hash = $3::text limit $2::integer)
      union all
      (select l.token_id, 2 from unnest($5::text[], $6::text[]) as b(first, last) cross join lateral (
        select l.token_id from traceability.lot_v1 l
        where l.tenant_id = $1 and l.tlc ~>=~ b.first and l.tlc ~<~ b.last order by l.tlc using ~<~, l.token_id desc limit $2::integer) l)
      union all
      (select l.token_id, 2 from traceability.lot_v1 l
       where l.tenant_id = $1 and l.tlc_folded is not null and l.tlc_folded ~>=~ $12::text and l.tlc_folded ~<~ $13::text
       order by l.tlc_folded using ~<~, l.token_id desc limit $2::integer)
      union all
      (select l.token_id, 3 from products p cross join lateral (
        select l.token_id from traceability.lot_v1 l
        where l.tenant_id = $1 and l.asset_type = p."assetType" order by l.token_id desc limit $2::integer) l)
      union all
      (select l.token_id, 4 from companies c cross join lateral unnest(c.wallets) as w(address) cross join lateral (
        select l.token_id from traceability.lot_v1 l
        where l.tenant_id = $1 and l.custodian = w.address order by l.token_id desc limit $2::integer) l)
    ) m group by token_id order by place, token_id desc limit $2::integer
  ), lots as (
    select m.place, json_build_object('tokenId', l.token_id, 'tlc', l.tlc, 'assetType', l.asset_type, 'assetTypeName', l.asset_type_name,
      'gtin', l.gtin, 'status', l.status, 'custodian', l.custodian, 'custodianLabel', p.label, 'remainingQuantity', l.remaining, 'uom', l.uom,
      'recalled', l.recalled_at is not null, 'recallAffected', l.recall_affected,
      'foundBy', (array['key', 'code', 'product', 'holder'])[m.place]) as lot, l.token_id
    from matches m cross join lateral (
      select l.* from traceability.lot_v1 l where l.tenant_id = $1 and l.token_id = m.token_id offset 0) l
    left join identity.party_v1 p on p.tenant_id = $1 and p.address = l.custodian
  ), stored as (
    select d.type, d.number, d.issuer, u.event_id, u.at
    from (
      select d.* from reporting.document d
      where d.tenant_id = $1 and d.number <> '' and strpos(lower(d.number), $7::text) > 0 and exists (
        select from reporting.document_use u where u.tenant_id = $1 and u.document_id = d.document_id and ${MAY_READ('u')})
      order by d.number, d.type, d.issuer limit $2::integer) d
    cross join lateral (
      select u.event_id, u.at from reporting.document_use u
      where u.tenant_id = $1 and u.document_id = d.document_id and ${MAY_READ('u')} order by u.at desc, u.event_id limit 1) u
  ), read as (
    -- Until the documents of a tenant are stored they are read from its newest events.
    select distinct on (type, number, issuer) u.type, u.number, u.issuer, u.event_id, u.at
    from (
      select coalesce(d.doc ->> 'type', '') as type, d.doc ->> 'number' as number, coalesce(d.doc ->> 'issuer', '') as issuer,
        e.id as event_id, coalesce(e.event_time, e.landed_at) as at, e.org_id, e.process_type, d.doc ->> 'visibility' as visibility
      from (
        select e.* from traceability.event_v1 e
        where $7::text is not null and e.tenant_id = $1 and e.counts and not exists (
          select from reporting.fact_cursor c where c.tenant_id = $1 and c.as_of_head is not null)
        order by e.own_event_time desc nulls last limit ${NEWEST_EVENTS}) e
      cross join lateral jsonb_array_elements(e.documents) as d(doc)
      where jsonb_typeof(d.doc) = 'object' and strpos(lower(d.doc ->> 'number'), $7::text) > 0) u
    where ${MAY_READ('u')} order by type, number, issuer, at desc
  ), documents as (
    select json_build_object('type', nullif(d.type, ''), 'number', d.number, 'issuer', nullif(d.issuer, ''), 'eventId', d.event_id,
      'tokenIds', array(
        select (x ->> 'tokenId')::bigint from traceability.event_v1 e, jsonb_array_elements(e.outputs || e.inputs) x
        where e.tenant_id = $1 and e.id = d.event_id and x ->> 'tokenId' is not null limit 20)) as document
    from (select * from stored union all select * from read order by number, type limit $2::integer) d
  )
  select (select coalesce(json_agg(lot order by place, token_id desc), '[]') from lots) as lots,
    (select coalesce(json_agg(p), '[]') from products p) as products,
    (select coalesce(json_agg(c), '[]') from companies c) as companies,
    (select coalesce(json_agg(document), '[]') from documents) as documents`;
