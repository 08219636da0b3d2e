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
