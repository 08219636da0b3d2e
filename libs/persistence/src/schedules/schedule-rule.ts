import type { UnitOfWork } from '../unit-of-work/unit-of-work.js';

/**
 * Rows that wait for a time. Where the clock of the database was ahead when they were written, they would wait until it is there again: once
 * it is right they are moved to now (docs/spec/reliability.md#clocks). A context lists its rules; the worker applies them.
 */
export interface ScheduleRule {
  /** With its schema. */
  readonly table: string;
  /** Moves rows of any tenant: `$1` is now, `$2` what no clock is ahead of by accident, `$3` the size of a batch. Its row says how many: `moved`. */
  readonly sql: string;
}

interface LateRows {
  readonly table: string;
  /** Rows of a time ahead, by `$2`. */
  readonly where: string;
  /** With `$1`. */
  readonly set: string;
}

/** The statement of a rule. */
export const moveToNow = ({ table, where, set }: LateRows): string => `
  with moved as (
    update ${table} set ${set} where ctid = any(array(select ctid from ${table} where ${where} limit $3 for update skip locked))
    returning $1::timestamptz
  )
  select count(*)::int as moved from moved`;

/** More than clocks of servers differ that are synchronised, and longer than a short lease or wait. */
const FAR_MS = 600_000;
const BATCH = 1_000;

/** A transaction for each batch. @returns how many rows were moved */
export async function applySchedules(
  unitOfWork: UnitOfWork,
  { sql }: ScheduleRule,
  { now, signal, batch = BATCH }: { readonly now: Date; readonly signal: AbortSignal; readonly batch?: number },
): Promise<number> {
  let total = 0;
  for (let moved = batch; moved >= batch && !signal.aborted;) {
    const [row] = await unitOfWork.writeAsSystem((tx) => tx.sql<{ moved: number }>(sql, [now, new Date(now.getTime() + FAR_MS), batch]));
    moved = row!.moved;
    total += moved;
  }
  return total;
}
