import type { UnitOfWork } from '../unit-of-work/unit-of-work.js';
import type { ScheduleRule } from './schedule-rule.js';

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
