import { type Facts, beginSpan, recordedSpan } from '#tracing';
import type { QueryRunner } from 'typeorm';

export const POSTGRESQL = { kind: 'client', facts: { 'db.system.name': 'postgresql' } } as const;

/** Beyond this number, for texts that are built dynamically, titles are not cached. */
const MAX_TITLES = 500;
const titles = new Map<string, StatementTitle>();

/** Runs the statement in a span, if the current trace is recorded. */
export async function withStatementSpan<Answer>(text: string, run: () => Promise<Answer>): Promise<Answer> {
  if (!recordedSpan()) return run();
  const { title, operation, table } = titleOf(text);
  const facts: Facts = { ...POSTGRESQL.facts, 'db.operation.name': operation, ...(table !== null && { 'db.collection.name': table }) };
  const span = beginSpan(title, { kind: 'client', facts });
  try {
    return await run();
  } catch (error) {
    span?.fail(error);
    throw error;
  } finally {
    span?.end();
  }
}

/** Adds spans to TypeORM's own statements: those of repositories, and begin and commit of transactions. */
export function addStatementSpans(runner: QueryRunner): void {
  if (!recordedSpan()) return;
  const query = runner.query.bind(runner) as (text: string, ...rest: unknown[]) => Promise<unknown>;
  Object.assign(runner, { query: (text: string, ...rest: unknown[]) => withStatementSpan(text, () => query(text, ...rest)) });
}

function titleOf(text: string): StatementTitle {
  const known = titles.get(text);
  if (known) return known;
  const title = statementTitle(text);
  if (titles.size < MAX_TITLES) titles.set(text, title);
  return title;
}

/** Name of a statement in traces: its operation and its first table. It never contains a value. */
export interface StatementTitle {
  readonly title: string;
  readonly operation: string;
  /** `schema.table`; null for statements without a table. */
  readonly table: string | null;
}

const TABLE = String.raw`"?([a-z_]+)"?\."?([a-z_0-9]+)"?`;
const WRITES = new RegExp(String.raw`\b(insert\s+into|update|delete\s+from)\s+(?:only\s+)?${TABLE}`, 'i');
const READS = new RegExp(String.raw`\bfrom\s+${TABLE}`, 'i');
const CONTROL = /^\s*(start transaction|set|commit|rollback|savepoint|release|notify|listen|lock|call)\b/i;

export function statementTitle(text: string): StatementTitle {
  const control = CONTROL.exec(text)?.[1]?.toLowerCase();
  if (control) return { title: control, operation: control, table: null };
  const write = WRITES.exec(text);
  const match = write ? { operation: write[1]!.split(/\s/, 1)[0]!.toLowerCase(), place: write.slice(2, 4) } : read(text);
  const table = match.place ? match.place.join('.') : null;
  return { title: table === null ? match.operation : `${match.operation} ${table}`, operation: match.operation, table };
}

function read(text: string): { operation: string; place: string[] | null } {
  const place = READS.exec(text);
  return { operation: 'select', place: place && place.slice(1, 3) };
}
