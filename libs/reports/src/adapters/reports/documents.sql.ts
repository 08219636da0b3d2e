import { DECIDING, documentUses } from '../persistence/document-uses.js';
import type { DocumentsIn } from './events-in.js';
import { MOST_MISSING, MOST_USES } from './documents.views.js';

const WORDS = 'document_id, pair_id, type, number, issuer, pair_shared';
const SAID = 'uses, begins, valid_to, least_key, greatest_key';

/**
 * `uses`: one row an event and document; `found`: one row a document, with what its uses in the scope say together. Where all of them lie
 * in the scope, the document's own row says it.
 */
const kept = (where: string, { whole, some }: DocumentsIn): string => `
  uses as not materialized (select * from reports.document_use e where ${where}),
  seen as materialized (select ${WORDS}, ${SAID}, ${whole} as whole from reports.document w where w.tenant_id = $1 and ${some}),
  cut as materialized (
    select u.document_id as id, ${DECIDING} from uses u where u.document_id in (select document_id from seen where not whole) group by u.document_id),
  found as not materialized (
    select ${WORDS}, ${SAID} from seen where whole
    union all
    select ${WORDS}, ${SAID.split(', ')
      .map((column) => `cut.${column}`)
      .join(', ')} from cut join seen on document_id = id)`;
const read = (where: string): string => `
  uses as materialized (
    select u.*, least(hashtextextended(least_sha256, 0), hashtextextended(sha256, 0)) as least_key,
      greatest(hashtextextended(least_sha256, 0), hashtextextended(sha256, 0)) as greatest_key
    from (${documentUses(where)}) u),
  found as materialized (
    select document_id, pair_id, type, number, issuer, true as pair_shared, ${DECIDING} from uses u group by 1, 2, 3, 4, 5)`;

const ORDER = 'type, number, issuer';
const named = (column: string): string =>
  `(select coalesce(jsonb_agg(lot -> '${column}' order by place), '[]') from jsonb_array_elements(e.lots) with ordinality as x(lot, place))`;
/** The greatest of some words: by their bytes, which costs a tenth of comparing them as a language does. */
const most = (column: string, as = column): string => `max(${column} collate "C") as ${as}`;

/**
 * One row: the page of documents and what there is in all; the latest words of a document count. All are counted by the few words that
 * decide about them; the rest is read for the page.
 * @param documents which of them lie in the scope, where uses are kept; behind the parameters of `where`: today, the last day that
 *   is soon, how many rows, and the place to go on behind
 */
export function documentsOf(documents: DocumentsIn | null, where: string, before: number): string {
  const [today, soon, limit, type, number, issuer] = [1, 2, 3, 4, 5, 6].map(
    (n) => `$${before + n}${n === 3 ? '::integer' : '::text collate "C"'}`,
  );
  return `
  with ${documents ? kept(where, documents) : read(where)},
  judged as not materialized (
    select f.document_id, f.pair_id, f.pair_shared, f.type collate "C" as type, f.number collate "C" as number, f.issuer collate "C" as issuer,
      f.uses, f.valid_to, f.least_key, f.greatest_key,
      case when f.valid_to is null and not f.begins then 'undated'
           when f.valid_to < ${today} then 'expired'
           when f.valid_to <= ${soon} then 'expiring'
           else 'valid' end as status
    from found f
  ), conflicts as materialized (
    select pair_id, count(*) as n from judged where pair_shared or least_key <> greatest_key group by pair_id having min(least_key) <> max(greatest_key)
  ), first as materialized (
    select * from judged where ${type} is null or (${ORDER}) > (${type}, ${number}, ${issuer}) order by ${ORDER} limit ${limit}
  ), newest as (
    select u.* from (
      select u.*, row_number() over (partition by u.document_id order by u.at desc, u.event_id) as place
      from first p join uses u on u.document_id = p.document_id
    ) u
  ), used as (
    select n.document_id, min(n.valid_from collate "C") as valid_from, ${['cid', 'url', 'sha256', 'visibility'].map((name) => most(`n.${name}`, name)).join(', ')},
      jsonb_agg(jsonb_build_object('eventId', n.event_id, 'processType', n.process_type, 'tokenIds', e.token_ids, 'tlcs', e.tlcs)
        order by n.place) filter (where n.place <= ${MOST_USES}) as listed
    from newest n left join lateral (
      select ${named('tokenId')} as token_ids, ${named('tlc')} as tlcs from (
        select e.inputs || e.outputs as lots from traceability.event_v1 e where e.tenant_id = $1 and e.id = n.event_id offset 0) e
    ) e on n.place <= ${MOST_USES}
    group by n.document_id
  )
  select (select coalesce(sum(n), 0) from conflicts) as conflicts,
    (select json_agg(c) from (select type, status, count(*) as n from judged group by type, status order by type, status) c) as counts,
    (select json_agg(json_build_object('type', nullif(p.type, ''), 'number', nullif(p.number, ''), 'issuer', nullif(p.issuer, ''),
      'validFrom', u.valid_from, 'validTo', p.valid_to, 'status', p.status, 'cid', u.cid, 'url', u.url, 'sha256', u.sha256,
      'visibility', u.visibility, 'conflict', exists (select from conflicts c where c.pair_id = p.pair_id), 'uses', p.uses,
      'usedBy', u.listed) order by p.type, p.number, p.issuer)
     from first p join used u on u.document_id = p.document_id) as page`;
}

/** The newest events that lack what their process requires. @param facts the relation of `EventFigures` */
export const missingOf = (facts: string): string => `
  with lacking as materialized (
    select f.event_id, f.at from ${facts} f where f.documents_present < f.documents_required order by f.at desc, f.event_id limit ${MOST_MISSING}
  ), rules as materialized (
    select p.map_name, p.map_version, p.process_type, d ->> 'type' as type
    from traceability.process_v1 p cross join lateral jsonb_array_elements(p.documents) d where p.tenant_id = $1 and (d ->> 'required')::boolean
  )
  select l.event_id as "eventId", e.process_type as "processType", r.type
  from lacking l
  cross join lateral (
    select e.process_type, e.process_map_name, e.process_map_version, e.documents from traceability.event_v1 e
    where e.tenant_id = $1 and e.id = l.event_id offset 0) e
  join rules r on r.process_type = e.process_type and r.map_name = e.process_map_name and r.map_version = e.process_map_version
  where not exists (select from jsonb_array_elements(e.documents) x where x ->> 'type' = r.type)
  order by l.at desc, l.event_id, r.type limit ${MOST_MISSING}`;
