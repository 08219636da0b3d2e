import { type PostgresEndpoint, withClient } from '#persistence';
import { contexts } from '../../../runtime/src/index.js';
import { keptOf } from '../backup/kept-rows.js';
import { QUEUE_SCHEMA, TABLE_ORIGINS } from '../backup/table-origins.js';

/** A table, a folder or a store. */
export interface Area {
  readonly name: string;
  /** Rows or files; null where nobody counts them. */
  readonly count: number | null;
  /** The count is an estimate of the database. */
  readonly isEstimate?: boolean;
  readonly bytes: number | null;
  /** ISO 8601, of the oldest row or file. */
  readonly oldest: string | null;
  /** What limits it. */
  readonly kept: string;
}

/** Larger tables are not read from one end to the other. */
const READ_WHOLE_BYTES = 64 * 2 ** 20;
/** The column with the time of a row: the first of them that it has. */
const TIMES = [
  'created_at',
  'at',
  'stored_at',
  'record_time',
  'recalled_at',
  'started_at',
  'submitted_at',
  'prepared_at',
  'reserved_at',
  'held_at',
  'minted_at',
  'first_seen_at',
  'noted_at',
  'ended_at',
  'issued_at',
  'landed_at',
  'requested_at',
  'published_at',
  'applied_at',
  'expires_at',
] as const;

interface TableRow {
  readonly name: string;
  readonly bytes: number;
  readonly estimate: number;
  /** Names of its columns with a time. */
  readonly times: readonly string[];
  /** Those that an index begins with. */
  readonly indexed: readonly string[];
}

const TABLES = `
  select n.nspname || '.' || c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes, greatest(c.reltuples, 0)::float8 as estimate,
    array(select attname::text from pg_attribute where attrelid = c.oid and atttypid = 'timestamptz'::regtype and not attisdropped) as times,
    array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
          where i.indrelid = c.oid and i.indpred is null) as indexed
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname = any($1) order by name`;

/** Every table of the service, the largest first; the queue's are one area. */
export function tableSizes(endpoint: PostgresEndpoint): Promise<readonly Area[]> {
  const schemas = ['persistence', ...contexts.map(({ schema }) => schema), QUEUE_SCHEMA];
  return withClient(endpoint, async (client) => {
    const ask = async <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
      (await client.query(text, [...values])).rows as Row[];
    const tables = await ask<TableRow>(TABLES, [schemas]);
    const own = tables.filter(({ name }) => Object.hasOwn(TABLE_ORIGINS, name));
    const areas: Area[] = [];
    for (const table of own) if (OWNERS.has(table.name)) areas.push(await areaOf(table, ask));
    await ask('set role trace_system');
    for (const table of own) if (!OWNERS.has(table.name)) areas.push(await areaOf(table, ask));
    const queue = tables.filter(({ name }) => name.startsWith(`${QUEUE_SCHEMA}.`));
    if (queue.length > 0) areas.push(queueOf(queue));
    return areas.toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
  });
}

type Ask = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Read by the login that migrates; the system role may not. */
const OWNERS = new Set(['persistence.migration']);

async function areaOf({ name, bytes, estimate, times, indexed }: TableRow, ask: Ask): Promise<Area> {
  const isSmall = bytes <= READ_WHOLE_BYTES;
  const time = TIMES.find((column) => times.includes(column) && (isSmall || indexed.includes(column)));
  const [oldest] = time === undefined ? [] : await ask<{ at: Date | null }>(`select min(${time}) as at from ${name}`);
  const [counted] = isSmall ? await ask<{ count: number }>(`select count(*)::float8 as count from ${name}`) : [];
  const at = oldest?.at ?? null;
  return {
    name,
    count: counted?.count ?? estimate,
    ...(!counted && { isEstimate: true }),
    bytes,
    // `-infinity` is a number.
    oldest: at instanceof Date ? at.toISOString() : null,
    kept: keptOf(name).replaceAll('`', ''),
  };
}

const queueOf = (tables: readonly TableRow[]): Area => ({
  name: QUEUE_SCHEMA,
  count: tables.reduce((sum, { estimate }) => sum + estimate, 0),
  isEstimate: true,
  bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
  oldest: null,
  kept: 'JOBS_COMPLETED_KEPT_SECONDS, JOBS_FAILED_KEPT_SECONDS',
});
