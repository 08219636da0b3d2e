import { hash } from 'node:crypto';
import { BooleanField, EnumField, IntegerField, JsonListField, JsonObjectField, NumberField, ObjectListField, StringField } from '#http';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { ratio } from '../../domain/figures.js';
import { type About, type Outcome, Report, type Scope } from '../../ports.js';
import { REPORT_READERS } from './access.js';
import { eventsIn } from './events-in.js';

const STATUSES = ['valid', 'expiring', 'expired', 'undated'];
const VERIFICATIONS = ['verified', 'mismatch', 'unresolved', 'not_checked'];
/** More uses of a document, or more missing ones, are counted and not listed. */
const MOST_USES = 100;
const MOST_MISSING = 1000;
const EXPIRING_WITHIN = '30 days';

class UseView {
  @StringField({ description: 'An event that refers to it' })
  eventId: string;

  @StringField({ description: 'Its process', nullable: true })
  processType: string | null;

  @JsonListField({ description: 'Lots of the event', items: { type: 'integer' } })
  tokenIds: readonly number[];

  @JsonListField({ description: 'Their codes', items: { type: 'string' } })
  tlcs: readonly string[];
}

class DocumentView {
  @StringField({ description: 'sha-256 of `type|number|issuer`, lower-case hex' })
  documentKey: string;

  @StringField({ description: 'As the events say', nullable: true })
  type: string | null;

  @StringField({ description: 'Its number', nullable: true })
  number: string | null;

  @StringField({ description: 'Who issued it', nullable: true })
  issuer: string | null;

  @StringField({ description: 'First day', nullable: true })
  validFrom: string | null;

  @StringField({ description: 'Last day, the latest that an event says', nullable: true })
  validTo: string | null;

  @EnumField(STATUSES, { description: `Today (UTC); expiring within ${EXPIRING_WITHIN}` })
  status: string;

  @StringField({ description: 'Content identifier', nullable: true })
  cid: string | null;

  @StringField({ description: 'Where it is', nullable: true })
  url: string | null;

  @StringField({ description: 'Hash of the file, lower-case hex', nullable: true })
  sha256: string | null;

  @StringField({ description: '`public`, `restricted` or `authority`', nullable: true })
  visibility: string | null;

  @EnumField(VERIFICATIONS, { description: 'Whether the file is what its hash says, at the last check of data references' })
  verification: string;

  @BooleanField({ description: 'Events give different hashes for this type and number' })
  conflict: boolean;

  @IntegerField({ description: 'Events that refer to it' })
  uses: number;

  @ObjectListField(() => UseView, { description: `The newest ${MOST_USES} of them` })
  usedBy: readonly UseView[];
}

class MissingView {
  @StringField({ description: 'An event without a document that its process requires' })
  eventId: string;

  @StringField({ description: 'Its process' })
  processType: string;

  @StringField({ description: 'Type of the document' })
  type: string;
}

class DocumentsSummaryView {
  @IntegerField({ description: 'Different documents' })
  documents: number;

  @JsonObjectField({ description: 'By type', example: { BILL_OF_LADING: 1 } })
  byType: Readonly<Record<string, number>>;

  @JsonObjectField({ description: 'By status', example: { undated: 2, valid: 1 } })
  byStatus: Readonly<Record<string, number>>;

  @IntegerField({ description: 'Documents whose events give different hashes' })
  conflicts: number;

  @IntegerField({ description: 'Documents that processes require of their events' })
  required: number;

  @IntegerField({ description: 'Of those, present' })
  present: number;

  @IntegerField({ description: 'Of those, absent; `missing` lists them' })
  missing: number;

  @NumberField({ description: 'present / required; null where nothing is required', nullable: true })
  coverage: number | null;

  @BooleanField({ description: `There are more than the ${MOST_MISSING} that \`missing\` lists` })
  missingTruncated: boolean;
}

const text = (name: string, description: string) => ({ name, unit: null, description });

const about: About = {
  name: 'documents',
  title: 'Documents that events refer to, what has run out, and what is missing',
  access: REPORT_READERS,
  kept: true,
  parameters: [],
  rows: 'documents',
  rowView: () => DocumentView,
  summaryView: () => DocumentsSummaryView,
  beside: { missing: () => MissingView },
  columns: [
    text('documentKey', 'sha-256 of type|number|issuer'),
    text('type', 'type'),
    text('number', 'number'),
    text('issuer', 'issuer'),
    text('validFrom', 'first day'),
    text('validTo', 'last day'),
    text('status', STATUSES.join(', ')),
    text('cid', 'content identifier'),
    text('url', 'where it is'),
    text('sha256', 'hash of the file'),
    text('visibility', 'who may see it'),
    text('verification', VERIFICATIONS.join(', ')),
    text('conflict', 'whether events give different hashes'),
    { name: 'uses', unit: '1', description: 'events that refer to it' },
    text('tlcs', `codes of the lots of the newest ${MOST_USES} events`),
  ],
  place: [/^[^]*$/, /^[^]*$/, /^[^]*$/],
};

/** domain-decisions §6.2. By type, number and issuer. */
@Injectable()
export class DocumentsReport extends Report<DocumentView> {
  static readonly about = about;

  override async run(tx: TenantTx, scope: Scope): Promise<Outcome<DocumentView>> {
    const { where, parameters } = eventsIn(tx, scope);
    const today = scope.now.toISOString().slice(0, 10);
    const page = [...parameters, today, scope.limit + 1, ...(scope.after ?? [null, null, null])];
    const found = await tx.sql<Row>(documentsIn(where, parameters.length), page);
    const [counted] = await tx.sql<Counted>(countsIn(where, parameters.length), [...parameters, today]);
    const [lacking] = await tx.sql<Lacking>(lackingIn(where), parameters);
    const shown = found.slice(0, scope.limit);
    const checks = await checksOf(tx, shown);
    const rows = shown.map((row) => documentOf(row, checks));
    const last = rows.at(-1);
    const [required, missing] = [Number(lacking!.required), Number(lacking!.missing)];
    return {
      summary: {
        documents: Number(counted!.documents),
        byType: counted!.byType ?? {},
        byStatus: counted!.byStatus ?? {},
        conflicts: Number(counted!.conflicts),
        required,
        present: required - missing,
        missing,
        coverage: ratio(required - missing, required),
        missingTruncated: missing > MOST_MISSING,
      },
      rows,
      total: Number(counted!.documents),
      next: found.length > scope.limit ? [last!.type ?? '', last!.number ?? '', last!.issuer ?? ''] : null,
      beside: { missing: lacking!.listed ?? [] },
    };
  }

  override lines({ usedBy, ...row }: DocumentView) {
    return [{ ...row, tlcs: [...new Set(usedBy.flatMap(({ tlcs }) => tlcs))] }];
  }
}

interface Row extends Omit<DocumentView, 'documentKey' | 'verification' | 'uses'> {
  readonly uses: string;
}
interface Counted {
  readonly documents: string;
  readonly conflicts: string;
  readonly byType: Record<string, number> | null;
  readonly byStatus: Record<string, number> | null;
}
interface Lacking {
  readonly required: string;
  readonly missing: string;
  readonly listed: MissingView[] | null;
}

/** What the last check of data references found about the files of these events: by event and value. */
type Checks = ReadonlyMap<string, string>;

async function checksOf(tx: TenantTx, rows: readonly Row[]): Promise<Checks> {
  const events = [...new Set(rows.flatMap(({ usedBy }) => usedBy.map(({ eventId }) => eventId)))];
  const found = await tx.sql<{ readonly event: string; readonly value: string; readonly status: string }>(
    `select p.subject_id as event, p.value, p.status from reports.pointer p
     where p.tenant_id = $1 and p.kind = 'document' and p.subject_kind = 'event' and p.subject_id = any($2::text[])`,
    [tx.tenantId, events],
  );
  return new Map(found.map(({ event, value, status }) => [`${event} ${value}`, status]));
}

/** The worst of what was found: a file that is not what one event says is not what the document is. */
function verificationOf({ cid, url, sha256, usedBy }: Row, checks: Checks): string {
  const found = usedBy.flatMap(({ eventId }) => [cid, url, sha256].map((value) => checks.get(`${eventId} ${value}`)));
  return ['mismatch', 'unresolved'].find((status) => found.includes(status)) ?? (found.includes('ok') ? 'verified' : 'not_checked');
}

const documentOf = ({ uses, ...row }: Row, checks: Checks): DocumentView => ({
  documentKey: hash('sha256', [row.type, row.number, row.issuer].map((part) => part ?? '').join('|')),
  ...row,
  verification: verificationOf({ uses, ...row }, checks),
  uses: Number(uses),
});

const EVENTS = '(select v.*, coalesce(v.event_time, v.landed_at) as at from traceability.event_v1 v) e';

/** One row a document; its latest words count. `today`: the parameter for it. */
const documents = (where: string, today: string): string => `
  with uses as materialized (
    select coalesce(d.doc ->> 'type', '') as type, coalesce(d.doc ->> 'number', '') as number, coalesce(d.doc ->> 'issuer', '') as issuer,
      d.doc, lower(d.doc ->> 'sha256') as sha256, e.id, e.at, e.process_type, e.inputs || e.outputs as lots
    from ${EVENTS} cross join lateral jsonb_array_elements(e.documents) as d(doc)
    where ${where} and e.counts and e.documents <> '[]' and jsonb_typeof(d.doc) = 'object'
  ), conflicts as (
    select type, number from uses group by type, number having count(distinct sha256) > 1
  ), documents as (
    select type, number, issuer, count(distinct id) as uses, min(doc ->> 'validFrom') as valid_from, max(doc ->> 'validTo') as valid_to,
      max(doc ->> 'cid') as cid, max(doc ->> 'url') as url, max(sha256) as sha256, max(doc ->> 'visibility') as visibility
    from uses group by type, number, issuer
  ), judged as (
    select d.*, c.type is not null as conflict,
      case when d.valid_to is null and d.valid_from is null then 'undated'
           when d.valid_to < ${today} then 'expired'
           when d.valid_to <= (${today}::date + interval '${EXPIRING_WITHIN}')::date::text then 'expiring'
           else 'valid' end as status
    from documents d left join conflicts c on c.type = d.type and c.number = d.number
  )`;

const ORDER = 'd.type collate "C", d.number collate "C", d.issuer collate "C"';
const named = (column: string): string =>
  `(select coalesce(jsonb_agg(lot -> '${column}' order by place), '[]') from jsonb_array_elements(u.lots) with ordinality as x(lot, place))`;

function documentsIn(where: string, before: number): string {
  const [today, limit, type, number, issuer] = [1, 2, 3, 4, 5].map((n) => `$${before + n}${n === 2 ? '::integer' : '::text'}`);
  return `${documents(where, today!)}, page as (
    select * from judged d where ${type} is null or (${ORDER}) > (${type} collate "C", ${number} collate "C", ${issuer} collate "C")
    order by ${ORDER} limit ${limit}
  ), used as (
    select u.type, u.number, u.issuer, jsonb_agg(jsonb_build_object('eventId', u.id, 'processType', u.process_type,
      'tokenIds', ${named('tokenId')}, 'tlcs', ${named('tlc')}) order by u.place) as listed
    from (
      select u.*, row_number() over (partition by u.type, u.number, u.issuer order by u.at desc, u.id) as place
      from (select distinct u.type, u.number, u.issuer, u.id, u.at, u.process_type, u.lots from uses u
            join page p on p.type = u.type and p.number = u.number and p.issuer = u.issuer) u
    ) u where u.place <= ${MOST_USES} group by u.type, u.number, u.issuer
  )
  select nullif(d.type, '') as type, nullif(d.number, '') as number, nullif(d.issuer, '') as issuer, d.valid_from as "validFrom",
    d.valid_to as "validTo", d.status, d.cid, d.url, d.sha256, d.visibility, d.conflict, d.uses, u.listed as "usedBy"
  from page d join used u on u.type = d.type and u.number = d.number and u.issuer = d.issuer
  order by ${ORDER}`;
}

const countsIn = (where: string, before: number): string => `${documents(where, `$${before + 1}::text`)}
  select (select count(*) from judged) as documents, (select count(*) from judged where conflict) as conflicts,
    (select jsonb_object_agg(type, n order by type) from (select type, count(*) as n from judged group by type) t) as "byType",
    (select jsonb_object_agg(status, n order by status) from (select status, count(*) as n from judged group by status) s) as "byStatus"`;

/** What a process requires of each of its events, and which events lack it. */
const lackingIn = (where: string): string => `
  with asked as (
    select e.id, e.process_type, e.at, d ->> 'type' as type, e.documents
    from traceability.process_v1 p cross join lateral jsonb_array_elements(p.documents) d
    join ${EVENTS} on e.tenant_id = p.tenant_id and e.process_type = p.process_type
      and e.process_map_name = p.map_name and e.process_map_version = p.map_version
    where p.tenant_id = $1 and (d ->> 'required')::boolean and ${where} and e.counts
  ), lacking as (
    select a.id, a.process_type, a.at, a.type, row_number() over (order by a.at desc, a.id, a.type) as place
    from asked a where not exists (select from jsonb_array_elements(a.documents) d where d ->> 'type' = a.type)
  )
  select (select count(*) from asked) as required, (select count(*) from lacking) as missing,
    (select jsonb_agg(jsonb_build_object('eventId', id, 'processType', process_type, 'type', type) order by place)
     from lacking where place <= ${MOST_MISSING}) as listed`;
