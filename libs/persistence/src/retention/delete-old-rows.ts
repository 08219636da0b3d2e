import { setTimeout as pause } from 'node:timers/promises';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.js';
import type { RetentionRule } from './retention-rule.js';

export interface Deletion {
  readonly before: Date;
  readonly signal: AbortSignal;
  readonly batch?: number;
  /** Told after each batch. */
  readonly onDeleted?: (rows: number) => void;
  /** False stops before the next batch. */
  readonly mayGoOn?: () => Promise<boolean>;
}

const BATCH = 1_000;
/** Between two batches, so that a first run over a million rows leaves the database to the others. */
const LONGEST_PAUSE_MS = 250;

/** Deletes what ended before a time, a transaction for each batch. @returns how many rows */
export async function deleteOldRows(
  unitOfWork: UnitOfWork,
  { sql }: RetentionRule,
  { before, signal, batch = BATCH, onDeleted = () => undefined, mayGoOn = async () => true }: Deletion,
): Promise<number> {
  let total = 0;
  for (let deleted = batch; deleted >= batch && !signal.aborted && (await mayGoOn());) {
    const began = performance.now();
    const [row] = await unitOfWork.writeAsSystem((tx) => tx.sql<{ deleted: number }>(sql, [before, batch]));
    deleted = row!.deleted;
    total += deleted;
    if (deleted > 0) onDeleted(deleted);
    if (deleted >= batch) await pause(Math.min(performance.now() - began, LONGEST_PAUSE_MS));
  }
  return total;
}
