const EVENTS = '(select v.*, coalesce(v.event_time, v.landed_at) as at from traceability.event_v1 v) e';
const said = (name: string): string => `coalesce(d.doc ->> '${name}', '')`;
const digest = (...names: readonly string[]): string => `md5(jsonb_build_array(${names.map(said).join(', ')})::text)::uuid`;

/** Columns of `reports.document_use` but for the tenant and the document's own. */
const OF_USE = 'event_id, document_id, at, org_id, process_type, valid_from, valid_to, least_sha256, sha256, cid, url, visibility';

const saidOf = (relation: string): string =>
  OF_USE.split(', ')
    .map((column) => `${relation}.${column}`)
    .join(', ');

/** Documents that events refer to, one row an event and document, with the document's own words. @param where as of `eventFacts` */
export const documentUses = (where: string): string => `
  select e.id as event_id, ${digest('type', 'number', 'issuer')} as document_id, ${digest('type', 'number')} as pair_id,
    ${said('type')} as type, ${said('number')} as number, ${said('issuer')} as issuer, e.at, e.org_id, e.process_type,
    min(d.doc ->> 'validFrom') as valid_from, max(d.doc ->> 'validTo') as valid_to, min(lower(d.doc ->> 'sha256')) as least_sha256,
    max(lower(d.doc ->> 'sha256')) as sha256, max(d.doc ->> 'cid') as cid, max(d.doc ->> 'url') as url, max(d.doc ->> 'visibility') as visibility
  from ${EVENTS} cross join lateral jsonb_array_elements(e.documents) as d(doc)
  where ${where} and e.counts and e.documents <> '[]' and jsonb_typeof(d.doc) = 'object'
  group by e.id, 2, 3, 4, 5, 6, e.at, e.org_id, e.process_type`;

/** Uses of some events that these do not make any more, or not with these words. $2: the events */
export const DROP_USES = `with said as materialized (${documentUses('e.tenant_id = $1 and e.id = any($2::uuid[])')})
  delete from reports.document_use u where u.tenant_id = $1 and u.event_id = any($2::uuid[]) and not exists (
    select from said s where s.event_id = u.event_id and s.document_id = u.document_id
      and (${saidOf('s')}) is not distinct from (${saidOf('u')}))
  returning u.document_id`;

/** Documents that nobody refers to any more. $2: which of them */
export const FORGET_DOCUMENTS = `delete from reports.document d where d.tenant_id = $1 and d.document_id = any($2::uuid[]) and not exists (
  select from reports.document_use u where u.tenant_id = $1 and u.document_id = d.document_id)`;

/** Columns of `reports.document` that tell what its uses say together. */
const SUMS = [
  'uses',
  'first_at',
  'last_at',
  'one_org',
  'org_id',
  'one_process',
  'process_type',
  'begins',
  'valid_to',
  'least_key',
  'greatest_key',
];
const one = (column: string): string =>
  `min(u.${column}) is not distinct from max(u.${column}) and count(u.${column}) in (0, count(*)) as one_${column.split('_')[0]}, min(u.${column}) as ${column}`;
/** Of uses u: what decides about a document. */
export const DECIDING = `count(*) as uses, bool_or(u.valid_from is not null) as begins, max(u.valid_to collate "C") as valid_to,
  min(u.least_key) as least_key, max(u.greatest_key) as greatest_key`;
const summed = `min(u.at) as first_at, max(u.at) as last_at, ${one('org_id')}, ${one('process_type')}, ${DECIDING}`;
const bothOf = (column: string): string =>
  `d.one_${column.split('_')[0]} and excluded.one_${column.split('_')[0]} and d.${column} is not distinct from excluded.${column}`;

/** Writes uses that are new, and moves their documents' sums by them. $2: the events */
export const ADD_USES = `with said as materialized (${documentUses('e.tenant_id = $1 and e.id = any($2::uuid[])')}
  ), fresh as (
    insert into reports.document_use (tenant_id, ${OF_USE}) select $1, ${OF_USE} from said on conflict do nothing returning *
  ), words as (
    select distinct on (document_id) document_id, pair_id, type, number, issuer from said order by document_id
  )
  insert into reports.document as d (tenant_id, document_id, pair_id, type, number, issuer, ${SUMS.join(', ')})
  select $1, w.*, ${SUMS.map((column) => `s.${column}`).join(', ')}
  from (select u.document_id, ${summed} from fresh u group by u.document_id) s join words w on w.document_id = s.document_id
  order by w.document_id
  on conflict (tenant_id, document_id) do update set
    uses = d.uses + excluded.uses, first_at = least(d.first_at, excluded.first_at), last_at = greatest(d.last_at, excluded.last_at),
    one_org = ${bothOf('org_id')}, one_process = ${bothOf('process_type')}, begins = d.begins or excluded.begins,
    valid_to = greatest(d.valid_to, excluded.valid_to), least_key = least(d.least_key, excluded.least_key),
    greatest_key = greatest(d.greatest_key, excluded.greatest_key)
  returning d.document_id`;

/** Sums of documents that lost uses and have others, made anew: what was the least or the greatest is not told by the others' sum. $2: which of them */
export const SUM_DOCUMENTS = `update reports.document d set (${SUMS.join(', ')}) = (${SUMS.map((column) => `s.${column}`).join(', ')})
  from (select u.document_id, ${summed} from reports.document_use u where u.tenant_id = $1 and u.document_id = any($2::uuid[]) group by u.document_id) s
  where d.tenant_id = $1 and d.document_id = s.document_id`;

/** Documents of one type and number, where some came to be: only those can contradict each other. $2: which came */
export const SHARE_PAIRS = `update reports.document d set pair_shared = true
  where d.tenant_id = $1 and not d.pair_shared
    and d.pair_id = any(array(select n.pair_id from reports.document n where n.tenant_id = $1 and n.document_id = any($2::uuid[])))
    and exists (select from reports.document o where o.tenant_id = $1 and o.pair_id = d.pair_id and o.document_id <> d.document_id)`;
