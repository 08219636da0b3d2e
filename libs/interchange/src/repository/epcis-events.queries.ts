import { hash } from 'node:crypto';
import { type TenantTx, arrayParameter } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type IndexedEvent, THING_ROLES } from '../epcis/indexed-event.js';
import {
  COLUMNS,
  NarrowQuery,
  type PageQuery,
  type Parameter,
  type Place,
  type Reader,
  selection,
  sourceOf,
  sqlOf,
  visible,
} from './event-conditions.queries.js';

export type { Reader } from './event-conditions.queries.js';

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

export interface FoundEvent {
  readonly key: string;
  readonly text: string;
  /** Of the column that the result is sorted by. */
  readonly at: Date;
}

interface RecordedKey {
  readonly key: string;
  readonly isDeclared: boolean;
}

export interface FoundEvents {
  readonly events: readonly FoundEvent[];
  /** Whether there are more behind them. */
  readonly more: boolean;
}

/** Of the events of a page; a thousand may have hundreds of megabytes. */
const MOST_BYTES = 16 * 1024 * 1024;

export type ListedColumn = 'type' | 'bizStep' | 'disposition' | 'readPoint' | 'bizLocation';

/** The events of the repository, and what queries find them by. */
@Injectable()
export class EpcisEventQueries {
  constructor(private readonly narrowing: NarrowQuery) {}

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

  /** Keys whose rows are already what these events say; all rows of a key are among them. */
  async unchanged(tx: TenantTx, events: readonly StoredEvent[]): Promise<ReadonlySet<string>> {
    if (events.length === 0) return new Set();
    const rows = await tx.sql<{ key: string }>(UNCHANGED, [tx.tenantId, JSON.stringify(events.map(identityOf))]);
    return new Set(rows.map(({ key }) => key));
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

  /** The eventIDs that the repository has from the chain: their keys, and whether they are declared wrong. */
  async recorded(tx: TenantTx, eventIDs: readonly string[]): Promise<ReadonlyMap<string, RecordedKey>> {
    if (eventIDs.length === 0) return new Map();
    const rows = await tx.sql<RecordedKey & { readonly eventID: string }>(
      `select event_id as "eventID", key, terms @> array['errorDeclaration'] as "isDeclared" from interchange.epcis_event
       where tenant_id = $1 and event_id = any($2::text[]) and block_number is not null and audience <> 'rest'`,
      [tx.tenantId, arrayParameter('text', eventIDs)],
    );
    return new Map(rows.map((row) => [row.eventID, row]));
  }

  /** In the order of the query. @param after the place behind which it continues */
  async page(tx: TenantTx, reader: Reader, query: PageQuery, after: Place | null, limit: number): Promise<readonly FoundEvent[]> {
    const narrowed = { ...query, ...(await this.narrowing.narrowed(tx, query.conditions, query.orderBy)) };
    const { sql, parameters } = selection(tx, reader, narrowed, after, limit);
    return tx.sql<FoundEvent>(sql, parameters);
  }

  /** Like `page`, but of not much more than `MOST_BYTES`, and at least one. */
  async boundedPage(tx: TenantTx, reader: Reader, query: PageQuery, after: Place | null, limit: number): Promise<FoundEvents> {
    const narrowed = { ...query, ...(await this.narrowing.narrowed(tx, query.conditions, query.orderBy)) };
    const { sql, parameters, order } = selection(tx, reader, narrowed, after, limit + 1);
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
  async count(tx: TenantTx, reader: Reader, query: Pick<PageQuery, 'conditions'>, most: number): Promise<number> {
    const { among, conditions } = await this.narrowing.narrowed(tx, query.conditions, null);
    const parameters: unknown[] = [tx.tenantId];
    const parameter: Parameter = (value) => `$${parameters.push(value)}`;
    const all = ['e.tenant_id = $1', visible(reader, parameter), ...conditions.map((one) => sqlOf(one, parameter))];
    const [row] = await tx.sql<{ count: string }>(
      `select count(*) from (select from ${sourceOf(among, parameter)} where ${all.join(' and ')} limit ${parameter(most)}) found`,
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

function rowOf({ indexed, text, ...event }: StoredEvent, now: Date): object {
  const { names: _, values: __, eventTime, recordTime, ...found } = indexed;
  return { ...event, ...found, event: text, eventTime: secondsOf(eventTime, now), recordTime: secondsOf(recordTime, now) };
}

/** To the millisecond; PostgreSQL reads fewer years as text. */
function secondsOf(text: string | null, otherwise: Date): number {
  const at = Date.parse(text?.replace(/(\.\d{3})\d+/, '$1') ?? '');
  return (Number.isNaN(at) ? otherwise.getTime() : at) / 1000;
}

const identityOf = ({ key, audience, orgId, processType, block, isUnresolved, text }: StoredEvent): object => ({
  ...{ key, audience, orgId, processType, block, isUnresolved },
  digest: hash('sha256', text, 'hex'),
});

const UNCHANGED = `select coalesce(r.key, e.key) as key
  from jsonb_to_recordset($2::jsonb) as r(key text, audience text, "orgId" text, "processType" text, block bigint, "isUnresolved" boolean, digest text)
  full join (select * from interchange.epcis_event
    where tenant_id = $1 and key = any(array(select jsonb_array_elements($2::jsonb)->>'key'))) e on e.key = r.key and e.audience = r.audience
  group by 1
  having bool_and(coalesce(encode(sha256(convert_to(e.event, 'UTF8')), 'hex') = r.digest and e.is_unresolved = r."isUnresolved"
    and e.org_id is not distinct from r."orgId" and e.process_type is not distinct from r."processType"
    and e.block_number is not distinct from r.block, false))`;

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
