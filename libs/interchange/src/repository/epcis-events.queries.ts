import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type IndexedEvent, THING_ROLES } from '../epcis/indexed-event.js';
import type { Condition, SimpleQuery } from './simple-query.js';

/** Who reads an event: everybody, those who read the whole of it, or all others. */
export type Audience = 'all' | 'whole' | 'rest';

/** An event of the repository. */
export interface StoredEvent {
  readonly key: string;
  readonly audience: Audience;
  readonly orgId: string | null;
  readonly processType: string | null;
  /** Whether the reader's processes count. */
  readonly isScoped: boolean;
  /** Null: kept, and not on chain. */
  readonly block: number | null;
  readonly isUnresolved: boolean;
  readonly indexed: IndexedEvent;
  /** JSON as it goes out. */
  readonly text: string;
}

/** What a reader may see. */
export interface Reader {
  /** Reads every event whole. */
  readonly readsAll: boolean;
  readonly orgId: string | null;
  /** LIKE patterns of process types; null = all. */
  readonly scope: readonly string[] | null;
}

export interface FoundEvent {
  readonly key: string;
  readonly text: string;
  /** Of the column that the result is sorted by. */
  readonly at: Date;
}

export interface FoundEvents {
  readonly events: readonly FoundEvent[];
  /** Whether there are more behind them. */
  readonly more: boolean;
}

/** Of the events of a page; a thousand may have hundreds of megabytes. */
const MOST_BYTES = 16 * 1024 * 1024;

export type ListedColumn = 'type' | 'bizStep' | 'disposition' | 'readPoint' | 'bizLocation';

const COLUMNS = {
  eventID: 'event_id',
  type: 'type',
  action: 'action',
  bizStep: 'biz_step',
  disposition: 'disposition',
  readPoint: 'read_point',
  bizLocation: 'biz_location',
  eventTime: 'event_time',
  recordTime: 'record_time',
} as const;

type Parameter = (value: unknown) => string;

/** The events of the repository, and what queries find them by. */
@Injectable()
export class EpcisEventQueries {
  /** In the place of what their keys had. @param gone further keys whose rows are deleted */
  async replace(tx: TenantTx, events: readonly StoredEvent[], gone: readonly string[], now: Date): Promise<void> {
    const keys = [...new Set([...gone, ...events.map(({ key }) => key)])];
    if (keys.length === 0) return;
    await this.remove(tx, keys);
    if (events.length === 0) return;
    await tx.sql(INSERT_EVENTS, [tx.tenantId, JSON.stringify(events.map((event) => rowOf(event, now)))]);
    const names = events.flatMap(({ key, audience, indexed }) => indexed.names.map((one) => ({ ...one, key, audience })));
    const values = events.flatMap(({ key, audience, indexed }) => indexed.values.map((one) => ({ ...one, key, audience })));
    if (names.length > 0) await tx.sql(INSERT_NAMES, [tx.tenantId, JSON.stringify(names)]);
    if (values.length > 0) await tx.sql(INSERT_VALUES, [tx.tenantId, JSON.stringify(values)]);
  }

  async remove(tx: TenantTx, keys: readonly string[]): Promise<void> {
    for (const table of ['epcis_event', 'epcis_name', 'epcis_value'])
      await tx.sql(`delete from interchange.${table} where tenant_id = $1 and key = any($2::text[])`, [tx.tenantId, keys]);
  }

  /** Locked, with whether each is kept only. */
  keysOf(tx: TenantTx, eventID: string): Promise<readonly { readonly key: string; readonly isKept: boolean }[]> {
    return tx.sql(
      `select key, block_number is null as "isKept" from interchange.epcis_event where tenant_id = $1 and event_id = $2 order by key for update`,
      [tx.tenantId, eventID],
    );
  }

  /** In the order of the query. @param after the place behind which it continues */
  page(tx: TenantTx, reader: Reader, query: PageQuery, after: Place | null, limit: number): Promise<readonly FoundEvent[]> {
    const { sql, parameters } = selection(tx, reader, query, after, limit);
    return tx.sql<FoundEvent>(sql, parameters);
  }

  /** Like `page`, but of not much more than `MOST_BYTES`, and at least one. */
  async boundedPage(tx: TenantTx, reader: Reader, query: PageQuery, after: Place | null, limit: number): Promise<FoundEvents> {
    const { sql, parameters, order } = selection(tx, reader, query, after, limit + 1);
    const rows = await tx.sql<FoundEvent & { readonly found: string }>(
      `select key, text, at, found from (
         select p.*, count(*) over () as found, sum(octet_length(p.text)) over (order by ${order('p')}) - octet_length(p.text) as before
         from (${sql}) p) q
       where before < $${parameters.length + 1} order by ${order('q')} limit $${parameters.length + 2}`,
      [...parameters, MOST_BYTES, limit],
    );
    return { events: rows, more: Number(rows[0]?.found ?? 0) > rows.length };
  }

  /** How many there are, counted no further than `most`. */
  async count(tx: TenantTx, reader: Reader, { conditions }: Pick<SimpleQuery, 'conditions'>, most: number): Promise<number> {
    const parameters: unknown[] = [tx.tenantId];
    const parameter: Parameter = (value) => `$${parameters.push(value)}`;
    const all = ['e.tenant_id = $1', visible(reader, parameter), ...conditions.map((one) => sqlOf(one, parameter))];
    const [row] = await tx.sql<{ count: string }>(
      `select count(*) from (select from interchange.epcis_event e where ${all.join(' and ')} limit ${parameter(most)}) found`,
      parameters,
    );
    return Number(row!.count);
  }

  /** Which keys have a row. */
  async known(tx: TenantTx, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await tx.sql<{ key: string }>('select key from interchange.epcis_event where tenant_id = $1 and key = any($2::text[])', [
      tx.tenantId,
      keys,
    ]);
    return new Set(rows.map(({ key }) => key));
  }

  /** The values of a column that the reader's events have, in their order. */
  async listed(tx: TenantTx, reader: Reader, name: ListedColumn, after: string | null, limit: number): Promise<readonly string[]> {
    const parameters: unknown[] = [tx.tenantId];
    const parameter: Parameter = (value) => `$${parameters.push(value)}`;
    const column = COLUMNS[name];
    const seen = visible(reader, parameter);
    const [from, most] = [parameter(after), parameter(limit)];
    const next = (behindValue: string): string =>
      `(select e.${column} collate "C" from interchange.epcis_event e where e.tenant_id = $1 and e.${column} is not null
         and (${behindValue} is null or e.${column} collate "C" > ${behindValue}) and ${seen} order by 1 limit 1)`;
    const rows = await tx.sql<{ value: string }>(
      `with recursive found(value, n) as (
         select ${next(`${from}::text`)}, 1
         union all
         select ${next('f.value')}, f.n + 1 from found f where f.value is not null and f.n < ${most}
       ) select value from found where value is not null`,
      parameters,
    );
    return rows.map(({ value }) => value);
  }

  /** The names of things in the reader's events, in their order. */
  async listedNames(tx: TenantTx, reader: Reader, after: string | null, limit: number): Promise<readonly string[]> {
    const parameters: unknown[] = [tx.tenantId];
    const parameter: Parameter = (value) => `$${parameters.push(value)}`;
    const seen = visible(reader, parameter);
    const rows = await tx.sql<{ name: string }>(
      `select n.name from interchange.epcis_name n
       where n.tenant_id = $1 and n.name > ${parameter(after ?? '')} and n.role = any(${parameter(THING_ROLES)}::text[]) and exists (
         select from interchange.epcis_event e where e.tenant_id = $1 and e.key = n.key and e.audience = n.audience and ${seen})
       group by n.name order by n.name limit ${parameter(limit)}`,
      parameters,
    );
    return rows.map(({ name }) => name);
  }
}

type PageQuery = Pick<SimpleQuery, 'conditions' | 'orderBy' | 'descending'>;
type Place = Pick<FoundEvent, 'at' | 'key'>;

function selection(
  tx: TenantTx,
  reader: Reader,
  { conditions, orderBy, descending }: PageQuery,
  after: Place | null,
  limit: number,
): { readonly sql: string; readonly parameters: readonly unknown[]; readonly order: (of: string) => string } {
  const parameters: unknown[] = [tx.tenantId];
  const parameter: Parameter = (value) => `$${parameters.push(value)}`;
  const at = `e.${COLUMNS[orderBy]}`;
  const all = ['e.tenant_id = $1', visible(reader, parameter), ...conditions.map((one) => sqlOf(one, parameter))];
  if (after) all.push(behind(at, after, descending, parameter));
  const sql = `select e.key, e.event as text, ${at} as at from interchange.epcis_event e where ${all.join(' and ')}
    order by ${descending ? `${at} desc, e.key` : `${at}, e.key desc`} limit ${parameter(limit)}`;
  return { sql, parameters, order: (of) => (descending ? `${of}.at desc, ${of}.key` : `${of}.at, ${of}.key desc`) };
}

function rowOf({ indexed, text, ...event }: StoredEvent, now: Date): object {
  const { names: _, values: __, eventTime, recordTime, ...found } = indexed;
  return { ...event, ...found, event: text, eventTime: secondsOf(eventTime, now), recordTime: secondsOf(recordTime, now) };
}

/** To the millisecond; PostgreSQL reads fewer years as text. */
function secondsOf(text: string | null, otherwise: Date): number {
  const at = Date.parse(text?.replace(/(\.\d{3})\d+/, '$1') ?? '');
  return (Number.isNaN(at) ? otherwise.getTime() : at) / 1000;
}

const INSERT_EVENTS = `insert into interchange.epcis_event (tenant_id, key, audience, org_id, process_type, is_scoped, block_number, is_unresolved,
    event_id, type, action, event_time, record_time, biz_step, disposition, read_point, biz_location, terms, event)
  select $1, r.key, r.audience, r."orgId", r."processType", r."isScoped", r.block, r."isUnresolved", r."eventID", r.type, r.action,
    to_timestamp(r."eventTime"), to_timestamp(r."recordTime"), r."bizStep", r.disposition, r."readPoint", r."bizLocation",
    array(select jsonb_array_elements_text(r.terms)), r.event
  from jsonb_to_recordset($2::jsonb) as r(key text, audience text, "orgId" text, "processType" text, "isScoped" boolean, block bigint,
    "isUnresolved" boolean, "eventID" text, type text, action text, "eventTime" float8, "recordTime" float8, "bizStep" text, disposition text,
    "readPoint" text, "bizLocation" text, terms jsonb, event text)
  order by r.key, r.audience`;
const INSERT_NAMES = `insert into interchange.epcis_name (tenant_id, name, role, key, audience)
  select $1, r.name, r.role, r.key, r.audience from jsonb_to_recordset($2::jsonb) as r(name text, role text, key text, audience text)
  on conflict do nothing`;
const INSERT_VALUES = `insert into interchange.epcis_value (tenant_id, field, value, key, audience)
  select $1, r.field, r.value, r.key, r.audience from jsonb_to_recordset($2::jsonb) as r(field text, value float8, key text, audience text)`;

/** The row of an event that is for this reader. */
function visible({ readsAll, orgId, scope }: Reader, parameter: Parameter): string {
  // A parameter that the statement does not use has no type.
  const own = orgId === null || readsAll ? 'false' : `e.org_id = ${parameter(orgId)}`;
  const audience = readsAll
    ? "e.audience <> 'rest'"
    : `(e.audience = 'all' or (e.audience = 'whole' and ${own}) or (e.audience = 'rest' and (${own}) is not true))`;
  return scope === null ? audience : `${audience} and (not e.is_scoped or e.process_type like any(${parameter(scope)}::text[]))`;
}

function behind(at: string, after: Pick<FoundEvent, 'at' | 'key'>, descending: boolean, parameter: Parameter): string {
  const [time, key] = [`${parameter(after.at)}::timestamptz`, parameter(after.key)];
  // In this form an index by time is entered at the place.
  return descending
    ? `${at} <= ${time} and (${at} < ${time} or e.key > ${key})`
    : `${at} >= ${time} and (${at} > ${time} or e.key < ${key})`;
}

function sqlOf(condition: Condition, parameter: Parameter): string {
  switch (condition.kind) {
    case 'column':
      return anyOf(`e.${COLUMNS[condition.column]}`, condition.any, parameter);
    case 'within': {
      const place = `e.${COLUMNS[condition.column]}`;
      const parts = condition.any.map((one) => `${place} like ${parameter(`${likeText(one)}/%`)}`);
      return `(${[anyOf(place, condition.any, parameter), ...parts].join(' or ')})`;
    }
    case 'time': {
      const column = `e.${COLUMNS[condition.column]}`;
      const from = condition.from ? [`${column} >= ${parameter(condition.from)}`] : [];
      const before = condition.before ? [`${column} < ${parameter(condition.before)}`] : [];
      return [...from, ...before].join(' and ');
    }
    case 'keys':
      return `e.key = any(${parameter(condition.any)}::text[])`;
    case 'names':
      return `(e.key, e.audience) in (${namesOf(condition, parameter)})`;
    case 'terms':
      return `e.terms && ${parameter(condition.any)}::text[]`;
    case 'value':
      return `(e.key, e.audience) in (select v.key, v.audience from interchange.epcis_value v
        where v.tenant_id = $1 and v.field = ${parameter(condition.field)} and v.value ${condition.compare} ${parameter(condition.value)})`;
    default:
      return 'false';
  }
}

/** A single value is compared as one, so that an index gives events in order. */
const anyOf = (column: string, any: readonly string[], parameter: Parameter): string =>
  any.length === 1 ? `${column} = ${parameter(any[0])}` : `${column} = any(${parameter(any)}::text[])`;

function namesOf({ roles, any, like }: Extract<Condition, { kind: 'names' }>, parameter: Parameter): string {
  const among = `n.tenant_id = $1 and n.role = any(${parameter(roles)}::text[])`;
  const select = (where: string): string => `select n.key, n.audience from interchange.epcis_name n where ${among} and ${where}`;
  const parts = [
    ...(any.length > 0 ? [select(`n.name = any(${parameter(any)}::text[])`)] : []),
    ...like.map((pattern) => select(`n.name like ${parameter(pattern)}`)),
  ];
  return parts.length > 0 ? parts.join(' union all ') : select('false');
}

const likeText = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
