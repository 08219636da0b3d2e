/**
 * How the rows of a table are restored when the database is lost: `dump` from a dump only; `chain` from the chain and the content store,
 * by the indexer; `derived` from other tables, by background work; `temporary` not at all, because they are short-lived.
 */
export type Origin = 'dump' | 'chain' | 'derived' | 'temporary';

export interface TableOrigin {
  readonly origin: Origin;
  /** What the table holds, and what is lost when its rows are not restored exactly. */
  readonly holds: string;
  /** What adds rows. */
  readonly grows: string;
  /** For how long a row is kept; absent where a rule of the retention says it. */
  readonly kept?: string;
}

type Described = (holds: string, grows: string, kept?: string) => TableOrigin;
const of =
  (origin: Origin): Described =>
  (holds, grows, kept) => ({ origin, holds, grows, ...(kept !== undefined && { kept }) });
export const [dump, chain, derived, temporary] = [of('dump'), of('chain'), of('derived'), of('temporary')];
