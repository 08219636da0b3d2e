import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Condition, SimpleQuery } from './simple-query.js';

/** What a reader may see. */
export interface Reader {
  /** Reads every event whole. */
  readonly readsAll: boolean;
  readonly orgId: string | null;
  /** LIKE patterns of process types; null = all. */
  readonly scope: readonly string[] | null;
}

export const COLUMNS = {
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

export type Parameter = (value: unknown) => string;

export type PageQuery = Pick<SimpleQuery, 'conditions' | 'orderBy' | 'descending'>;
export type Place = { readonly key: string; readonly at: Date };

/** A row of the repository. */
interface RowKey {
  readonly key: string;
  readonly audience: string;
}

/** Rows that a query reads one by one. With more it goes by time, and soon has a page of what is that common. */
const MOST_ROWS = 2_000;

/** How a query is to be done: all that it finds is among these rows; null: among all. */
export interface Narrowed {
  readonly among: readonly RowKey[] | readonly { readonly key: string }[] | null;
  readonly conditions: readonly Condition[];
}

/**
 * Finds few rows by what names them, instead of leaving it to the statistics of the tables: without them PostgreSQL searches all events by
 * their time for a name that hardly any of them has.
 */
@Injectable()
export class NarrowQuery {
  /** @param orderBy of the result; null: it has no order */
  async narrowed(tx: TenantTx, conditions: readonly Condition[], orderBy: PageQuery['orderBy'] | null): Promise<Narrowed> {
    for (const condition of conditions) {
      const rest = conditions.filter((one) => one !== condition);
      if (condition.kind === 'keys') return { among: condition.any.map((key) => ({ key })), conditions: rest };
      const parameters: unknown[] = [tx.tenantId];
      const found = rowsOf(condition, (value) => `$${parameters.push(value)}`);
      if (found === null) continue;
      const rows = await tx.sql<RowKey>(`select * from (${found}) found limit ${MOST_ROWS + 1}`, parameters);
      if (rows.length <= MOST_ROWS) return { among: rows, conditions: rest };
    }
    // Sorting all of them is never faster than reading the first ones.
    if (orderBy !== null && conditions.every((one) => isInOrder(one, orderBy)))
      await tx.sql("select set_config('enable_sort', 'off', true)");
    return { among: null, conditions };
  }
}

/** Whether an index has what a condition finds in the order of the result: those of the columns are by event time. */
const isInOrder = (condition: Condition, orderBy: PageQuery['orderBy']): boolean =>
  condition.kind === 'time'
    ? condition.column === orderBy
    : condition.kind === 'column' && orderBy === 'eventTime' && BY_TIME.has(condition.column);

const BY_TIME: ReadonlySet<string> = new Set(['type', 'bizStep', 'disposition', 'readPoint', 'bizLocation']);

/** A statement that finds the rows of a condition; null where an index has them in order, or finds all of them at once. */
function rowsOf(condition: Condition, parameter: Parameter): string | null {
  if (condition.kind === 'names') return namesOf(condition, parameter);
  if (condition.kind === 'value') return valuesOf(condition, parameter);
  if (condition.kind !== 'column' || condition.any.length === 1) return null;
  return `select e.key, e.audience from interchange.epcis_event e where e.tenant_id = $1 and ${sqlOf(condition, parameter)}`;
}

/** Events as `e`: all of the tenant, or those of few rows, each found by its key. */
export function sourceOf(among: Narrowed['among'], parameter: Parameter): string {
  if (among === null) return 'interchange.epcis_event e';
  const keys = parameter(among.map(({ key }) => key));
  const hasAudience = among.some((one) => 'audience' in one);
  const lists = hasAudience
    ? `${keys}::text[], ${parameter(among.map((one) => ('audience' in one ? one.audience : null)))}::text[]`
    : `${keys}::text[]`;
  return `(select distinct * from unnest(${lists}) as f(key${hasAudience ? ', audience' : ''})) f cross join lateral (
    select * from interchange.epcis_event i where i.tenant_id = $1 and i.key = f.key${hasAudience ? ' and i.audience = f.audience' : ''} offset 0) e`;
}

export function selection(
  tx: TenantTx,
  reader: Reader,
  { among, conditions, orderBy, descending }: Narrowed & Pick<PageQuery, 'orderBy' | 'descending'>,
  after: Place | null,
  limit: number,
): { readonly sql: string; readonly parameters: readonly unknown[]; readonly order: (of: string) => string } {
  const parameters: unknown[] = [tx.tenantId];
  const parameter: Parameter = (value) => `$${parameters.push(value)}`;
  const at = `e.${COLUMNS[orderBy]}`;
  const all = ['e.tenant_id = $1', visible(reader, parameter), ...conditions.map((one) => sqlOf(one, parameter))];
  if (after) all.push(behind(at, after, descending, parameter));
  const sql = `select e.key, e.event as text, ${at} as at from ${sourceOf(among, parameter)} where ${all.join(' and ')}
    order by ${descending ? `${at} desc, e.key` : `${at}, e.key desc`} limit ${parameter(limit)}`;
  return { sql, parameters, order: (of) => (descending ? `${of}.at desc, ${of}.key` : `${of}.at, ${of}.key desc`) };
}

/** The row of an event that is for this reader. */
export function visible({ readsAll, orgId, scope }: Reader, parameter: Parameter): string {
  // A parameter that the statement does not use has no type.
  const own = orgId === null || readsAll ? 'false' : `e.org_id = ${parameter(orgId)}`;
  const audience = readsAll
    ? "e.audience <> 'rest'"
    : `(e.audience = 'all' or (e.audience = 'whole' and ${own}) or (e.audience = 'rest' and (${own}) is not true))`;
  return scope === null ? audience : `${audience} and (not e.is_scoped or e.process_type like any(${parameter(scope)}::text[]))`;
}

function behind(at: string, after: Place, descending: boolean, parameter: Parameter): string {
  const [time, key] = [`${parameter(after.at)}::timestamptz`, parameter(after.key)];
  // In this form an index by time is entered at the place.
  return descending
    ? `${at} <= ${time} and (${at} < ${time} or e.key > ${key})`
    : `${at} >= ${time} and (${at} > ${time} or e.key < ${key})`;
}

export function sqlOf(condition: Condition, parameter: Parameter): string {
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
      return `(e.key, e.audience) in (${valuesOf(condition, parameter)})`;
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

const valuesOf = ({ field, compare, value }: Extract<Condition, { kind: 'value' }>, parameter: Parameter): string =>
  `select v.key, v.audience from interchange.epcis_value v
   where v.tenant_id = $1 and v.field = ${parameter(field)} and v.value ${compare} ${parameter(value)}`;

const likeText = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
