/** When the next attempt comes (specification §6.4, reliability-decisions §1.4). Milliseconds. */
export interface RetrySchedule {
  /** Waits before the second, third and fourth attempt; there are never more attempts than these plus one. */
  readonly delaysMs: readonly number[];
  /** Largest lengthening by chance, 0.1 = 10 %. */
  readonly jitter: number;
}

export const attemptsAllowed = (schedule: RetrySchedule): number => schedule.delaysMs.length + 1;

/**
 * @param attempt the automatic attempt that failed, from 1
 * @param retryAfterMs what the receiver asked for: lengthens every wait but the first, at most twofold
 * @param random from 0 up to 1
 */
export function waitAfter(schedule: RetrySchedule, attempt: number, retryAfterMs: number | null, random: number): number | null {
  const delay = schedule.delaysMs[attempt - 1];
  if (delay === undefined) return null;
  const asked = attempt === 1 || retryAfterMs === null ? delay : Math.min(Math.max(delay, retryAfterMs), 2 * delay);
  return Math.round(asked * (1 + schedule.jitter * random));
}

/** RFC 9110 §10.2.3: seconds or an HTTP date; null where it is neither. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
