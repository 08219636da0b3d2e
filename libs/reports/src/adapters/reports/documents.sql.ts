import { documentUses } from '../persistence/document-uses.js';
import { EXPIRING_WITHIN, MOST_MISSING, MOST_USES } from './documents.views.js';

/** `uses`: one row an event and document; `words`: what the documents are called. */
const kept = (where: string): string => `
  uses as not materialized (select * from reports.document_use e where ${where}),
  words as not materialized (select * from reports.document w where w.tenant_id = $1)`;
const read = (where: string): string => `
  uses as materialized (${documentUses(where)}),
  words as materialized (select distinct document_id, pair_id, type, number, issuer from uses)`;

const ORDER = 'd.type collate "C", d.number collate "C", d.issuer collate "C"';
const named = (column: string): string =>
  `(select coalesce(jsonb_agg(lot -> '${column}' order by place), '[]') from jsonb_array_elements(e.lots) with ordinality as x(lot, place))`;

/**
 * One row: the page of documents and what there is in all; the latest words of a document count.
 * @param isKept whether the tenant's uses are kept; behind the parameters of `where`: today, how many rows, and the place to go on behind
 */
export function documentsOf(isKept: boolean, where: string, before: number): string {
  const [today, limit, type, number, issuer] = [1, 2, 3, 4, 5].map((n) => `$${before + n}${n === 2 ? '::integer' : '::text'}`);
  return `
  with ${(isKept ? kept : read)(where)},
  documents as materialized (
    select document_id, count(*) as uses, min(valid_from) as valid_from, max(valid_to) as valid_to, max(cid) as cid, max(url) as url,
      min(least_sha256) as least_sha256, max(sha256) as sha256, max(visibility) as visibility
    from uses group by document_id
  ), judged as materialized (
    select d.*, w.pair_id, w.type, w.number, w.issuer,
      case when d.valid_to is null and d.valid_from is null then 'undated'
           when d.valid_to < ${today} then 'expired'
           when d.valid_to <= (${today}::date + interval '${EXPIRING_WITHIN}')::date::text then 'expiring'
           else 'valid' end as status
    from documents d join words w on w.document_id = d.document_id
  ), conflicts as materialized (
    select pair_id from judged group by pair_id having min(least_sha256) <> max(sha256)
  ), page as materialized (
    select d.*, exists (select from conflicts c where c.pair_id = d.pair_id) as conflict, row_number() over (order by ${ORDER}) as place
    from judged d where ${type} is null or (${ORDER}) > (${type} collate "C", ${number} collate "C", ${issuer} collate "C")
    order by ${ORDER} limit ${limit}
  ), newest as (
    select u.document_id, u.event_id, u.process_type, u.place from (
      select u.document_id, u.event_id, u.process_type, row_number() over (partition by u.document_id order by u.at desc, u.event_id) as place
      from page p join uses u on u.document_id = p.document_id
    ) u where u.place <= ${MOST_USES}
  ), used as (
    select n.document_id, jsonb_agg(jsonb_build_object('eventId', n.event_id, 'processType', n.process_type,
      'tokenIds', ${named('tokenId')}, 'tlcs', ${named('tlc')}) order by n.place) as listed
    from newest n cross join lateral (
      select e.inputs || e.outputs as lots from traceability.event_v1 e where e.tenant_id = $1 and e.id = n.event_id offset 0) e
    group by n.document_id
  )
  select (select count(*) from judged) as documents,
    (select count(*) from judged d join conflicts c on c.pair_id = d.pair_id) as conflicts,
    (select jsonb_object_agg(type, n order by type) from (select type, count(*) as n from judged group by type) t) as "byType",
    (select jsonb_object_agg(status, n order by status) from (select status, count(*) as n from judged group by status) s) as "byStatus",
    (select jsonb_agg(jsonb_build_object('type', nullif(p.type, ''), 'number', nullif(p.number, ''), 'issuer', nullif(p.issuer, ''),
      'validFrom', p.valid_from, 'validTo', p.valid_to, 'status', p.status, 'cid', p.cid, 'url', p.url, 'sha256', p.sha256,
      'visibility', p.visibility, 'conflict', p.conflict, 'uses', p.uses, 'usedBy', u.listed) order by p.place)
     from page p join used u on u.document_id = p.document_id) as page`;
}

/** The newest events that lack what their process requires. @param facts the relation of \`EventFigures\` */
export const missingOf = (facts: string): string => `
  with lacking as materialized (
    select f.event_id, f.at from ${facts} f where f.documents_present < f.documents_required order by f.at desc, f.event_id limit ${MOST_MISSING}
  )
  select l.event_id as "eventId", e.process_type as "processType", d ->> 'type' as type
  from lacking l
  cross join lateral (
    select e.process_type, e.process_map_name, e.process_map_version, e.documents from traceability.event_v1 e
    where e.tenant_id = $1 and e.id = l.event_id offset 0) e
  join traceability.process_v1 p on p.tenant_id = $1 and p.process_type = e.process_type and p.map_name = e.process_map_name
    and p.map_version = e.process_map_version
  cross join lateral jsonb_array_elements(p.documents) d
  where (d ->> 'required')::boolean and not exists (select from jsonb_array_elements(e.documents) x where x ->> 'type' = d ->> 'type')
  order by l.at desc, l.event_id, 3 limit ${MOST_MISSING}`;
