import type { Json } from '#kernel';
import type { TenantTx } from '../unit-of-work/tx.js';
import type { ColumnKind, CopyRule } from './copy-rule.js';
import { blanked, ERASED_TEXT, type Needles, needlesOf } from './needles.js';

type Repeating = Extract<CopyRule, { readonly key: readonly string[] }>;
type Row = Readonly<Record<string, unknown>>;

/** What was found of a value outside of the events that it came with. */
export interface FoundCopies {
  readonly table: string;
  readonly rows: number;
  /** They repeat the value still. */
  readonly stay: boolean;
  /** Data hashes of the notes that said it. */
  readonly notes: readonly string[];
  /** Those that are sent to others, by the first column of their key. */
  readonly sent: readonly string[];
}

/** Rows changed at once. */
const AT_ONCE = 500;

/** Finds and replaces values in the tables in which contexts repeat them. */
export class BlankCopies {
  constructor(private readonly rules: readonly CopyRule[]) {}

  /**
   * @param events of which the values were erased; null: of all of the tenant
   * @param subjects names, numbers and addresses of persons
   */
  async blank(
    tx: TenantTx,
    values: readonly Json[],
    events: readonly string[] | null,
    subjects: readonly string[] = [],
  ): Promise<FoundCopies[]> {
    if (events !== null) for (const rule of this.rules) if ('sql' in rule) await tx.sql(rule.sql, [tx.tenantId, events]);
    const needles = needlesOf(values, subjects);
    if (needles === null) return [];
    const found: FoundCopies[] = [];
    for (const rule of this.rules) {
      const copies = !('key' in rule) || (rule.scope === 'none' && events !== null) ? null : await blankRule(tx, rule, needles, events);
      if (copies && copies.rows > 0) found.push(copies);
    }
    return found;
  }

  /** Of contents that are erased as a whole, such as files. */
  async forget(tx: TenantTx, cids: readonly string[]): Promise<void> {
    if (cids.length > 0) for (const rule of this.rules) if ('whole' in rule) await tx.sql(rule.whole, [tx.tenantId, cids]);
  }

  /** What takes these values out of a row, as they are taken out of all rows. */
  without(values: readonly Json[]): <T>(row: T) => T {
    const needles = needlesOf(values);
    return <T>(row: T) => (needles === null ? row : (blanked(row, needles) as T));
  }

  /** How many rows of the tenant name one of these persons. */
  async count(tx: TenantTx, subjects: readonly string[]): Promise<FoundCopies[]> {
    const needles = needlesOf([], subjects);
    if (needles === null) return [];
    const found: FoundCopies[] = [];
    for (const rule of this.rules) {
      if (!('key' in rule)) continue;
      const rows = await rowsOf(tx, rule, needles, 'counted');
      if (rows.length > 0) found.push(foundIn(rule, rows));
    }
    return found;
  }
}

async function blankRule(tx: TenantTx, rule: Repeating, needles: Needles, events: readonly string[] | null): Promise<FoundCopies> {
  const rows = await rowsOf(tx, rule, needles, events);
  if (!rule.stays) for (let i = 0; i < rows.length; i += AT_ONCE) await rewrite(tx, rule, rows.slice(i, i + AT_ONCE), needles);
  return foundIn(rule, rows);
}

const foundIn = (rule: Repeating, rows: readonly Row[]): FoundCopies => ({
  ...{ table: rule.table, rows: rows.length, stay: rule.stays === true, notes: notesOf(rule, rows) },
  sent: rule.sent ? rows.map((row) => row[rule.key[0]!] as string) : [],
});

const notesOf = ({ note }: Repeating, rows: readonly Row[]): string[] =>
  note === undefined ? [] : rows.flatMap((row) => (typeof row[note] === 'string' ? [row[note]] : []));

function rowsOf(tx: TenantTx, rule: Repeating, { patterns }: Needles, events: readonly string[] | 'counted' | null): Promise<Row[]> {
  const names = Object.keys(rule.columns);
  const texts = names.map((name) => `t.${name}::text`);
  // Who only counts may be in a snapshot, which locks nothing.
  const among = events !== null && events !== 'counted' && rule.scope === 'event';
  const about = rule.about ?? `concat_ws(' ', ${texts.join(', ')}) ~ any($3::text[])`;
  return tx.sql<Row>(
    `select ${[...rule.key, ...names, ...(rule.note ? [rule.note] : [])].map((name) => `t.${name}`).join(', ')} from ${rule.table} t
     where t.tenant_id = $1 and (${texts.map((text) => `${text} ~* any($2::text[])`).join(' or ')})${among ? ` and ${about}` : ''}
     order by ${rule.key.map((name) => `t.${name}`).join(', ')}${rule.stays || events === 'counted' ? '' : ' for update'}`,
    [tx.tenantId, patterns, ...(among ? [events] : [])],
  );
}

/** Row by row: there are few, and their keys have different types. */
async function rewrite(tx: TenantTx, rule: Repeating, rows: readonly Row[], needles: Needles): Promise<void> {
  if (rule.goes) return deleteRows(tx, rule, rows);
  const names = Object.keys(rule.columns);
  const sets = names.map((name, i) => `${name} = $${i + 2}`).join(', ');
  const where = rule.key.map((name, i) => `${name} = $${i + 2 + names.length}`).join(' and ');
  for (const row of rows)
    await tx.sql(`update ${rule.table} set ${sets} where tenant_id = $1 and ${where}`, [
      tx.tenantId,
      ...names.map((name) => without(row[name], rule.columns[name]!, needles)),
      ...rule.key.map((name) => row[name]),
    ]);
}

async function deleteRows(tx: TenantTx, { table, key }: Repeating, rows: readonly Row[]): Promise<void> {
  const where = key.map((name, i) => `${name} = $${i + 2}`).join(' and ');
  for (const row of rows)
    await tx.sql(`delete from ${table} where tenant_id = $1 and ${where}`, [tx.tenantId, ...key.map((name) => row[name])]);
}

/** A column of text may hold JSON. One that may not be null gets the text that says what it was. */
function without(value: unknown, kind: ColumnKind, needles: Needles): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'keyed') return JSON.stringify(blanked(value, needles, true));
  if (kind === 'list') return (value as readonly string[]).filter((text) => blanked(text, needles) === text);
  if (typeof value !== 'string') return JSON.stringify(blanked(value, needles));
  const parsed = jsonIn(value);
  if (parsed !== undefined) return JSON.stringify(blanked(parsed, needles));
  return kind === 'json' ? JSON.stringify(ERASED_TEXT) : (blanked(value, needles) ?? ERASED_TEXT);
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
