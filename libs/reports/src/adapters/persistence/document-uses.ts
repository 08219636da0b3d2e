const EVENTS = '(select v.*, coalesce(v.event_time, v.landed_at) as at from traceability.event_v1 v) e';
const said = (name: string): string => `coalesce(d.doc ->> '${name}', '')`;
const digest = (...names: readonly string[]): string => `md5(jsonb_build_array(${names.map(said).join(', ')})::text)::uuid`;

/** Columns of `reports.document_use` but for the tenant and the document's own. */
const OF_USE = 'event_id, document_id, at, org_id, process_type, valid_from, valid_to, least_sha256, sha256, cid, url, visibility';

/** Documents that events refer to, one row an event and document, with the document's own words. @param where as of `eventFacts` */
export const documentUses = (where: string): string => `
  select e.id as event_id, ${digest('type', 'number', 'issuer')} as document_id, ${digest('type', 'number')} as pair_id,
    ${said('type')} as type, ${said('number')} as number, ${said('issuer')} as issuer, e.at, e.org_id, e.process_type,
    min(d.doc ->> 'validFrom') as valid_from, max(d.doc ->> 'validTo') as valid_to, min(lower(d.doc ->> 'sha256')) as least_sha256,
    max(lower(d.doc ->> 'sha256')) as sha256, max(d.doc ->> 'cid') as cid, max(d.doc ->> 'url') as url, max(d.doc ->> 'visibility') as visibility
  from ${EVENTS} cross join lateral jsonb_array_elements(e.documents) as d(doc)
  where ${where} and e.counts and e.documents <> '[]' and jsonb_typeof(d.doc) = 'object'
  group by e.id, 2, 3, 4, 5, 6, e.at, e.org_id, e.process_type`;

/** Writes what some events refer to, after what they referred to is gone. $2: their ids */
export const WRITE_USES = `with uses as materialized (${documentUses('e.tenant_id = $1 and e.id = any($2::uuid[])')}
  ), documents as (
    insert into reports.document (tenant_id, document_id, pair_id, type, number, issuer)
    select distinct on (document_id) $1::uuid, document_id, pair_id, type, number, issuer from uses order by document_id on conflict do nothing
  )
  insert into reports.document_use (tenant_id, ${OF_USE}) select $1, ${OF_USE} from uses`;

/** Documents that nobody refers to any more. $2: which of them */
export const FORGET_DOCUMENTS = `delete from reports.document d where d.tenant_id = $1 and d.document_id = any($2::uuid[]) and not exists (
  select from reports.document_use u where u.tenant_id = $1 and u.document_id = d.document_id)`;
