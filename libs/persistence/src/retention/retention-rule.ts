/** Rows that are of no more use after some time. A context lists its rules; the worker applies them. */
export interface RetentionRule {
  /** With its schema. */
  readonly table: string;
  /** Names of the settings whose sum is the time. One that is 0 keeps the rows without limit. */
  readonly settings: readonly string[];
  /** Deletes rows of any tenant: `$1` is the end of what is deleted, `$2` the size of a batch. Its row says how many: `deleted`. */
  readonly sql: string;
}

interface OldRows {
  readonly table: string;
  /** About `$1`, the end of what is deleted. */
  readonly where: string;
  /** An index gives this order, so that each batch reads what it deletes only. */
  readonly oldestBy?: string;
  /** False for a table that nobody may update. Then rows that somebody else deletes are waited for. */
  readonly canLock?: boolean;
}

/** The statement of a rule that deletes rows and nothing else. */
export const deleteOldest = ({ table, where, oldestBy, canLock = true }: OldRows): string => `
  with gone as (
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${where}${oldestBy ? ` order by ${oldestBy}` : ''} limit $2${canLock ? ' for update skip locked' : ''}
    )) returning 1
  )
  select count(*)::int as deleted from gone`;
