const EVENTS = '(select v.*, coalesce(v.event_time, v.landed_at) as at from traceability.event_v1 v) e';
const field = (name: string): string => `coalesce(d.doc ->> '${name}', '')`;
const digest = (...names: readonly string[]): string => `md5(jsonb_build_array(${names.map(field).join(', ')})::text)::uuid`;

/** Columns of `reporting.document_use` but for the tenant and the document's own. */
const USE_COLUMNS = 'event_id, document_id, at, org_id, process_type, valid_from, valid_to, least_sha256, sha256, cid, url, visibility';

const fieldsOf = (relation: string): string =>
  USE_COLUMNS.split(', ')
    .map((column) => `${relation}.${column}`)
    .join(', ');

/** One row per event and document that it refers to, with the fields of the document. @param where as in `eventFacts` */
export const documentUses = (where: string): string => `
  select e.id as event_id, ${digest('type', 'number', 'issuer')} as document_id, ${digest('type', 'number')} as pair_id,
    ${field('type')} as type, ${field('number')} as number, ${field('issuer')} as issuer, e.at, e.org_id, e.process_type,
    min(d.doc ->> 'validFrom') as valid_from, max(d.doc ->> 'validTo') as valid_to, min(lower(d.doc ->> 'sha256')) as least_sha256,
    max(lower(d.doc ->> 'sha256')) as sha256, max(d.doc ->> 'cid') as cid, max(d.doc ->> 'url') as url, max(d.doc ->> 'visibility') as visibility
  from ${EVENTS} cross join lateral jsonb_array_elements(e.documents) as d(doc)
  where ${where} and e.counts and e.documents <> '[]' and jsonb_typeof(d.doc) = 'object'
  group by e.id, 2, 3, 4, 5, 6, e.at, e.org_id, e.process_type`;

/** Deletes uses that these events no longer make, or make with other fields. $2: the events */
export const DELETE_USES = `with stated as materialized (${documentUses('e.tenant_id = $1 and e.id = any($2::uuid[])')})
  delete from reporting.document_use u where u.tenant_id = $1 and u.event_id = any($2::uuid[]) and not exists (
    select from stated s where s.event_id = u.event_id and s.document_id = u.document_id
      and (${fieldsOf('s')}) is not distinct from (${fieldsOf('u')}))
  returning u.document_id`;

/** Deletes documents without uses. $2: candidates */
export const DELETE_UNUSED_DOCUMENTS = `delete from reporting.document d where d.tenant_id = $1 and d.document_id = any($2::uuid[]) and not exists (
  select from reporting.document_use u where u.tenant_id = $1 and u.document_id = d.document_id)`;

/** Columns of `reporting.document` that are computed over its uses. */
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
/** Over uses u: what decides the status of a document. */
export const DECIDING = `count(*) as uses, bool_or(u.valid_from is not null) as begins, max(u.valid_to collate "C") as valid_to,
  min(u.least_key) as least_key, max(u.greatest_key) as greatest_key`;
const summed = `min(u.at) as first_at, max(u.at) as last_at, ${one('org_id')}, ${one('process_type')}, ${DECIDING}`;
const bothOf = (column: string): string =>
  `d.one_${column.split('_')[0]} and excluded.one_${column.split('_')[0]} and d.${column} is not distinct from excluded.${column}`;

/** Inserts new uses and adds them to the sums of their documents. $2: the events */
export const ADD_USES = `with stated as materialized (${documentUses('e.tenant_id = $1 and e.id = any($2::uuid[])')}
  ), fresh as (
    insert into reporting.document_use (tenant_id, ${USE_COLUMNS}) select $1, ${USE_COLUMNS} from stated on conflict do nothing returning *
  ), words as (
    select distinct on (document_id) document_id, pair_id, type, number, issuer from stated order by document_id
  )
  insert into reporting.document as d (tenant_id, document_id, pair_id, type, number, issuer, ${SUMS.join(', ')})
  select $1, w.*, ${SUMS.map((column) => `s.${column}`).join(', ')}
  from (select u.document_id, ${summed} from fresh u group by u.document_id) s join words w on w.document_id = s.document_id
  order by w.document_id
  on conflict (tenant_id, document_id) do update set
    uses = d.uses + excluded.uses, first_at = least(d.first_at, excluded.first_at), last_at = greatest(d.last_at, excluded.last_at),
    one_org = ${bothOf('org_id')}, one_process = ${bothOf('process_type')}, begins = d.begins or excluded.begins,
    valid_to = greatest(d.valid_to, excluded.valid_to), least_key = least(d.least_key, excluded.least_key),
    greatest_key = greatest(d.greatest_key, excluded.greatest_key)
  returning d.document_id`;

/** Computes the sums of documents that lost uses again: a least or greatest value cannot be subtracted. $2: the documents */
export const SUM_DOCUMENTS = `update reporting.document d set (${SUMS.join(', ')}) = (${SUMS.map((column) => `s.${column}`).join(', ')})
  from (select u.document_id, ${summed} from reporting.document_use u where u.tenant_id = $1 and u.document_id = any($2::uuid[]) group by u.document_id) s
  where d.tenant_id = $1 and d.document_id = s.document_id`;

/** Marks documents that share type and number: only those can contradict each other. $2: new documents */
export const SHARE_PAIRS = `update reporting.document d set pair_shared = true
  where d.tenant_id = $1 and not d.pair_shared
    and d.pair_id = any(array(select n.pair_id from reporting.document n where n.tenant_id = $1 and n.document_id = any($2::uuid[])))
    and exists (select from reporting.document o where o.tenant_id = $1 and o.pair_id = d.pair_id and o.document_id <> d.document_id)`;
