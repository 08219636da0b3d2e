import { type Facts, beginSpan, recordedSpan } from '#tracing';
import type { QueryRunner } from 'typeorm';
import { type StatementTitle, statementTitle } from './statement-title.js';

export const POSTGRESQL = { kind: 'client', facts: { 'db.system.name': 'postgresql' } } as const;

/** Texts that are made up as they come are titled anew each time. */
const MAX_TITLES = 500;
const titles = new Map<string, StatementTitle>();

/** Tells the trace that a statement runs, where there is one. */
export async function tracedStatement<Answer>(text: string, run: () => Promise<Answer>): Promise<Answer> {
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

/** What TypeORM asks by itself: its repositories, and how transactions begin and end. */
export function traceRunner(runner: QueryRunner): void {
  if (!recordedSpan()) return;
  const query = runner.query.bind(runner) as (text: string, ...rest: unknown[]) => Promise<unknown>;
  Object.assign(runner, { query: (text: string, ...rest: unknown[]) => tracedStatement(text, () => query(text, ...rest)) });
}

function titleOf(text: string): StatementTitle {
  const known = titles.get(text);
  if (known) return known;
  const title = statementTitle(text);
  if (titles.size < MAX_TITLES) titles.set(text, title);
  return title;
}
