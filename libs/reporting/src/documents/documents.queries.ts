import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { DECIDING, documentUses } from '../event-facts/document-uses.queries.js';
import { eventFigures } from '../event-facts/event-figures.queries.js';
import type { AsOf, Figure, ReportScope } from '../reports/report.js';
import { eventsIn } from '../reports/scope.queries.js';
import { type DocumentName, MAX_MISSING, MAX_USES } from './document.rules.js';
import type { DocumentView, MissingView } from './documents.dto.js';

export type DocumentRow = Omit<DocumentView, 'documentKey' | 'verification'>;

/** Number of documents of one type and status. */
export interface DocumentCount {
  readonly type: string;
  readonly status: string;
  readonly n: number;
}

export interface Documents {
  readonly conflicts: number;
  readonly counts: readonly DocumentCount[];
  readonly page: readonly DocumentRow[];
  /** Documents that processes require, and those of them that are present. */
  readonly required: number;
  readonly present: number;
  readonly missing: readonly MissingView[];
  readonly asOf: AsOf | undefined;
}

@Injectable()
export class DocumentQueries {
  /**
   * @param ends calendar dates: a document that ends before `today` has expired, one that ends up to `soon` is expiring
   * @param name only the documents that it may mean; what is missing does not depend on it
   */
  async read(
    tx: TenantTx,
    scope: ReportScope,
    { today, soon }: { readonly today: string; readonly soon: string },
    name: DocumentName | null,
  ): Promise<Documents> {
    const { days, dayParameters, facts, factParameters, asOf } = await eventFigures(tx, scope);
    const { where, parameters } = eventsIn(tx, scope);
    const [found] = await tx.sql<{ conflicts: string; counts: readonly DocumentCount[] | null; page: readonly DocumentRow[] | null }>(
      documentsSql(asOf ? documentsIn(scope) : null, where, parameters.length),
      [...parameters, today, soon, scope.limit + 1, ...(scope.after ?? [null, null, null]), ...valuesOf(name)],
    );
    const [sums] = await tx.sql<{ required: Figure; present: Figure }>(
      `select sum(documents_required) as required, sum(documents_present) as present from ${days} d`,
      dayParameters,
    );
    const [required, present] = [Number(sums!.required), Number(sums!.present)];
    return {
      conflicts: Number(found!.conflicts),
      counts: found!.counts ?? [],
      page: found!.page ?? [],
      required,
      present,
      missing: required === present ? [] : await tx.sql<MissingView>(missingSql(facts), factParameters),
      asOf,
    };
  }

  /** Status of the last check of data references, by `<event id> <value>`. */
  async checks(tx: TenantTx, eventIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await tx.sql<{ readonly event: string; readonly value: string; readonly status: string }>(
      `select p.subject_id as event, p.value, p.status from reporting.pointer p
       where p.tenant_id = $1 and p.kind = 'document' and p.subject_kind = 'event' and p.subject_id = any($2::text[])`,
      [tx.tenantId, eventIds],
    );
    return new Map(found.map(({ event, value, status }) => [`${event} ${value}`, status]));
  }
}

/** Conditions on documents `w` with the values of all their uses. Same parameters as `eventsIn`. */
interface DocumentsIn {
  /** All uses are in the scope. */
  readonly whole: string;
  /** Some uses may be in the scope. */
  readonly some: string;
}

function documentsIn({ from, to, organisation, processes }: ReportScope, before = 1): DocumentsIn {
  const [whole, some] = [['true'], ['true']];
  let place = before;
  const add = (value: unknown, conditions: (parameter: string) => readonly [string, string]): void => {
    if (value === null) return;
    const [all, any] = conditions(`$${++place}`);
    whole.push(all);
    some.push(any);
  };
  const only = (single: string, is: string): readonly [string, string] => [`w.${single} and ${is}`, `(not w.${single} or ${is})`];
  add(from, (at) => [`w.first_at >= ${at}::timestamptz`, `w.last_at >= ${at}::timestamptz`]);
  add(to, (at) => [`w.last_at < ${at}::timestamptz`, `w.first_at < ${at}::timestamptz`]);
  add(organisation, (orgId) => only('one_org', `coalesce(w.org_id = ${orgId}, false)`));
  add(processes, (patterns) => only('one_process', `coalesce(w.process_type like any(${patterns}::text[]), false)`));
  return { whole: `(${whole.join(' and ')})`, some: `(${some.join(' and ')})` };
}

const FIELDS = 'document_id, pair_id, type, number, issuer, pair_shared';
const STATUS_FIELDS = 'uses, begins, valid_to, least_key, greatest_key';

/**
 * `uses`: one row per event and document; `found`: one row per document, with the values of its uses in the scope. If all uses are in the
 * scope, the row of the document has them.
 */
const stored = (where: string, { whole, some }: DocumentsIn): string => `
  uses as not materialized (select * from reporting.document_use e where ${where}),
  seen as materialized (select ${FIELDS}, ${STATUS_FIELDS}, ${whole} as whole from reporting.document w where w.tenant_id = $1 and ${some}),
  cut as materialized (
    select u.document_id as id, ${DECIDING} from uses u where u.document_id in (select document_id from seen where not whole) group by u.document_id),
  found as not materialized (
    select ${FIELDS}, ${STATUS_FIELDS} from seen where whole
    union all
    select ${FIELDS}, ${STATUS_FIELDS.split(', ')
      .map((column) => `cut.${column}`)
      .join(', ')} from cut join seen on document_id = id)`;
const computed = (where: string): string => `
  uses as materialized (
    select u.*, least(hashtextextended(least_sha256, 0), hashtextextended(sha256, 0)) as least_key,
      greatest(hashtextextended(least_sha256, 0), hashtextextended(sha256, 0)) as greatest_key
    from (${documentUses(where)}) u),
  found as materialized (
    select document_id, pair_id, type, number, issuer, true as pair_shared, ${DECIDING} from uses u group by 1, 2, 3, 4, 5)`;

const ORDER = 'type, number, issuer';
const named = (column: string): string =>
  `(select coalesce(jsonb_agg(lot -> '${column}' order by place), '[]') from jsonb_array_elements(e.lots) with ordinality as x(lot, place))`;
/** The greatest text: by bytes, which costs a tenth of comparing by a language. */
const most = (column: string, as = column): string => `max(${column} collate "C") as ${as}`;

const valuesOf = (name: DocumentName | null): (string | null)[] =>
  name ? [name.tenant, name.type, name.number, name.issuer] : [null, null, null, null];

/** The condition on documents `f` of a name. @param tenant, words SQL parameters; null: the name does not say it, or there is none */
const isNamed = (tenant: string, words: readonly string[]): string =>
  ['type', 'number', 'issuer']
    .map((column, i) => `(${words[i]!} is null or f.${column} = ${words[i]!})`)
    .concat(`(${tenant} is null or ${tenant} = (select t.slug from identity.tenant_v1 t where t.tenant_id = $1))`)
    .join(' and ');

/** Documents with their status. @param today, soon SQL parameters @param condition on documents `f` */
const judged = (today: string, soon: string, condition: string): string => `
    select f.document_id, f.pair_id, f.pair_shared, f.type collate "C" as type, f.number collate "C" as number, f.issuer collate "C" as issuer,
      f.uses, f.valid_to, f.least_key, f.greatest_key,
      case when f.valid_to is null and not f.begins then 'undated'
           when f.valid_to < ${today} then 'expired'
           when f.valid_to <= ${soon} then 'expiring'
           else 'valid' end as status
    from found f where ${condition}`;

/**
 * One row with the page of documents and the counts of all. All are counted by the few fields that decide their status; the other fields are
 * read for the page only.
 * @param documents which documents are in the scope, if uses are stored; parameters behind those of `where`: today, last day of "expiring",
 *   number of rows, the last document before, and tenant, type, number and issuer of a name
 */
function documentsSql(documents: DocumentsIn | null, where: string, before: number): string {
  const [today, soon, limit, type, number, issuer, tenant, ...words] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(
    (n) => `$${before + n}${n === 3 ? '::integer' : '::text collate "C"'}`,
  );
  return `
  with ${documents ? stored(where, documents) : computed(where)},
  judged as not materialized (${judged(today!, soon!, isNamed(tenant!, words))}
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
        order by n.place) filter (where n.place <= ${MAX_USES}) as listed
    from newest n left join lateral (
      select ${named('tokenId')} as token_ids, ${named('tlc')} as tlcs from (
        select e.inputs || e.outputs as lots from traceability.event_v1 e where e.tenant_id = $1 and e.id = n.event_id offset 0) e
    ) e on n.place <= ${MAX_USES}
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

/** The newest events without a document that their process requires. @param facts the relation of `eventFigures` */
const missingSql = (facts: string): string => `
  with lacking as materialized (
    select f.event_id, f.at from ${facts} f where f.documents_present < f.documents_required order by f.at desc, f.event_id limit ${MAX_MISSING}
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
  order by l.at desc, l.event_id, r.type limit ${MAX_MISSING}`;
