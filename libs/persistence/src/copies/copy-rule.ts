/** A table whose rows may repeat values of contents. Each context lists its own; who erases a value applies all of them. */
export type CopyRule = RepeatingRows | RowsOfEvents | RowsOfContents;

export type ColumnKind = 'json' | 'keyed' | 'text' | 'list';

/** Rows in which the value alone is replaced. */
interface RepeatingRows {
  /** With its schema. */
  readonly table: string;
  /** The primary key beyond the tenant. */
  readonly key: readonly string[];
  /** Of a `list` of texts, those that say the value are left out. Of `keyed` JSON the names of members are data too. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /**
   * Where a value is looked for that is erased of one event: in the rows that name the event (`about`, or its id in a column), in `all` of the
   * tenant, or in none, because another event may rightly say the same. A value that is erased of all events is looked for in all rows.
   */
  readonly scope: 'event' | 'all' | 'none';
  /** About the row `t`: whether it belongs to one of the events `$3`. */
  readonly about?: string;
  /** The column with the data hash of the note that the row repeats. */
  readonly note?: string;
  /** Of rows that are sent to others: how those that are under way are found. */
  readonly sent?: SentRows;
  /** The rows are deleted: they say nothing else. */
  readonly goes?: true;
  /** The rows are found and stay: the law asks for the record. */
  readonly stays?: true;
}

/** `$1` is the tenant, `$2` the values of the first column of the key, of the rows that were changed. */
export interface SentRows {
  /** Waits, in a transaction of its own, until what had begun to read such rows is seen by `underWay`. */
  readonly barrier: string;
  /** An `id` of each that is under way, another one when it is sent again. */
  readonly underWay: string;
}

/** Rows that follow from events, and are made again: `$1` is the tenant, `$2` the ids of the events. */
interface RowsOfEvents {
  readonly table: string;
  readonly sql: string;
}

/** Rows that say what a content is that was erased as a whole: `$1` is the tenant, `$2` the CIDs. */
interface RowsOfContents {
  readonly table: string;
  readonly whole: string;
}
