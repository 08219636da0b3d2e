import { mapYielding } from '#kernel';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { sameGoods } from '../issuing/passports.queries.js';
import { type HiddenRow, withoutHidden } from './hidden-values.rules.js';
import { nextPassports, previousPassports } from './linked-passports.queries.js';
import type { LotFacts, OperatorFacts, PassportFacts, PublicEvent, PublicRecall } from './passport.js';

/** Observations are searched among so many of a lot's latest events. */
const OBSERVATIONS_OF_A_LOT = 200;

/** Lots that this one was made or split from, itself first; containers are no ancestors. Parameters: tenant, lot, most. */
export const TREE = `
  with recursive tree(token) as (
    select $2::bigint
    union
    select g.from_token from tree t
    join traceability.edge_v1 g on g.tenant_id = $1 and g.to_token = t.token and g.kind <> 'containment'
  )
  select token from tree limit $3`;

/** Events that made these lots, and those that observed them. Parameters: tenant, lots. */
export const EVENTS_OF_TREE = `
  select distinct l.mint_event_id as id from traceability.lot_v1 l where l.tenant_id = $1 and l.token_id = any($2::bigint[])
  union
  select n.event_id from unnest($2::bigint[]) as t(token)
  cross join lateral (select o.event_id from traceability.event_lot_v1 o where o.tenant_id = $1 and o.token_id = t.token
                      order by o.block_number desc limit ${OBSERVATIONS_OF_A_LOT}) n
  join traceability.event_v1 e on e.tenant_id = $1 and e.id = n.event_id
  where e.kind = 'observation'`;

const LOT = `
  select l.tlc, l.key, l.gtin, l.serial, coalesce(l.asset_type_name, l.asset_type, 'Unknown product') as name, a.category, a.words ->> 'hsCode' as "hsCode",
    coalesce(a.words -> 'passport' = 'true'::jsonb, false) as "mayHavePassport",
    coalesce(a.words -> 'contentSpecificationIds', '[]') as "contentSpecificationIds", coalesce(a.words -> 'nodeTypes', '[]') as "nodeTypes",
    coalesce(a.words -> 'dataElements', '[]') as "dataElements",
    to_char((l.expires_at at time zone 'UTC') + coalesce(e.event_time_zone_offset, '+00:00')::interval - interval '1 second', 'YYYY-MM-DD') as "expiresOn",
    coalesce(l.expires_at <= now(), false) as expired,
    case when l.retired_at is not null and not exists (
      select from traceability.lot_v1 p where p.tenant_id = $1 and p.tlc_hash = l.tlc_hash and p.split_from is not null
        and p.retired_at is null and p.retire_reason is distinct from 'voided')
      then jsonb_build_object('reason', l.retire_reason, 'month', to_char(l.retired_at at time zone 'UTC', 'YYYY-MM')) end as retired,
    l.mint_event_id as "mintEventId", coalesce(p.fields ->> 'productDescription', '/productDescription') as "descriptionPointer",
    p.chain_of_custody as "chainOfCustody", l.chain_id::float8 as "chainId", l.contract, l.mint_tx as "mintTx", l.data_hash as "dataHash",
    l.metadata_cid as cid, e.org_id as "orgId"
  from traceability.lot_v1 l
  left join traceability.event_v1 e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id
  left join traceability.asset_type_v1 a on a.tenant_id = l.tenant_id and a.map_name = l.process_map_name
    and a.map_version = l.process_map_version and a.asset_type = l.asset_type
  left join traceability.process_v1 p on p.tenant_id = l.tenant_id and p.map_name = e.process_map_name
    and p.map_version = e.process_map_version and p.process_type = e.process_type
  where l.tenant_id = $1 and l.token_id = $2 and l.tlc = $3`;

/** Pointers become paths once, not once an event. */
const PUBLIC_EVENTS = `
  with chosen as materialized (
    select e.id, e.process_type, e.process_label, e.process_map_name, e.process_map_version, e.event_time, e.event_time_zone_offset, e.location,
      e.metadata, e.documents, e.resolved, e.calldata_mismatch, e.sender_mismatch, e.block_number, e.log_index
    from traceability.event_v1 e where e.tenant_id = $1 and e.id = any($2::uuid[]) and e.counts
  ), words as materialized (
    select w.map_name, w.map_version, w.process_type, w.authority_pointers, p.pointer,
      array(select replace(replace(part, '~1', '/'), '~0', '~') from unnest(string_to_array(substr(p.pointer, 2), '/')) with ordinality u(part, i) order by i) as path
    from traceability.process_v1 w cross join lateral jsonb_array_elements_text(w.public_pointers) as p(pointer)
    where w.tenant_id = $1 and exists (select from chosen c where c.process_map_name = w.map_name and c.process_map_version = w.map_version)
  )
  select e.id, e.process_type as "processType", e.process_label as label, e.location ->> 'country' as country,
    to_char((e.event_time at time zone 'UTC') + coalesce(e.event_time_zone_offset, '+00:00')::interval, 'YYYY-MM') as month,
    coalesce(s.shown, '{}') as "values", coalesce(s.hidden, '[]') as hidden,
    jsonb_path_query_array(e.documents, '$[*] ? (@.visibility == "public")') as documents,
    e.resolved and not e.calldata_mismatch and not e.sender_mismatch as proven
  from chosen e
  left join lateral (
    select jsonb_object_agg(w.pointer, e.metadata #> w.path) filter (where e.metadata #> w.path is not null) as shown,
      (array_agg(w.authority_pointers))[1] as hidden
    from words w where w.map_name = e.process_map_name and w.map_version = e.process_map_version and w.process_type = e.process_type
  ) s on true
  order by e.event_time nulls last, e.block_number, e.log_index`;

const RECALLS = `
  select distinct on (s.recalled_at, s.recall_id) s.recall_class as "recallClass", s.reason, s.instructions, to_char(s.recalled_at at time zone 'UTC', 'YYYY-MM-DD') as date
  from recall.open_recall_v1 s where s.tenant_id = $1 and s.token_id in (${sameGoods()}) order by s.recalled_at desc, s.recall_id limit 20`;

/** What the public may read of a lot, as far as the process maps of its events call it public. */
@Injectable()
export class PublicFactsQueries {
  /** @param mostAncestors beyond so many the answer says that it is not complete */
  async read(tx: TenantTx, tokenId: bigint, tlc: string, mostAncestors: number): Promise<PassportFacts | null> {
    const [row] = await tx.sql<LotFacts & { readonly orgId: string | null }>(LOT, [tx.tenantId, tokenId, tlc]);
    if (!row) return null;
    const { orgId, ...lot } = row;
    const tokens = await tx.sql<{ token: string }>(TREE, [tx.tenantId, tokenId, mostAncestors + 2]);
    const tree = tokens.slice(0, mostAncestors + 1).map(({ token }) => token);
    const ids = await tx.sql<{ id: string }>(EVENTS_OF_TREE, [tx.tenantId, tree]);
    const events = await tx.sql<PublicEvent & HiddenRow>(PUBLIC_EVENTS, [tx.tenantId, ids.map(({ id }) => id)]);
    return {
      lot,
      recalls: await tx.sql<PublicRecall>(RECALLS, [tx.tenantId, tokenId]),
      operator: await operatorOf(tx, orgId),
      events: await mapYielding(events, withoutHidden),
      complete: tokens.length <= mostAncestors + 1,
      previous: await previousPassports(tx, tokenId),
      next: await nextPassports(tx, tokenId),
    };
  }
}

async function operatorOf(tx: TenantTx, orgId: string | null): Promise<OperatorFacts | null> {
  if (orgId === null) return null;
  const [row] = await tx.sql<OperatorFacts>(
    `select id::text, name, lei, gln, public_profile as "publicProfile" from identity.organisation_v1 where tenant_id = $1 and id::text = $2`,
    [tx.tenantId, orgId],
  );
  return row ?? null;
}
