import { refusal } from '#kernel';

const HOUR_MS = 3_600_000;

export const tooManyAnswersKept = refusal(
  'too_many_answers_kept',
  429,
  () => 'The answers that are kept for this tenant are at their limit in bytes. Send the request without an Idempotency-Key, or later.',
  () => ({ retryAfterSeconds: HOUR_MS / 1_000 }),
);

/**
 * Bytes of answers that this process has stored for each tenant, in the hours for which they are kept: answers of requests without an
 * effect cost nothing else, and a principal may have a hundred thousand of them a day.
 */
export class AnswerBytes {
  /** By tenant, and by the hour in which they were stored. */
  private readonly stored = new Map<string, Map<number, number>>();

  /** @param now milliseconds on a monotonic clock */
  constructor(
    private readonly most: number,
    private readonly keptMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  hasRoom(tenantId: string): boolean {
    const hours = this.stored.get(tenantId);
    if (!hours) return true;
    const oldest = this.hour - Math.ceil(this.keptMs / HOUR_MS);
    for (const hour of hours.keys()) if (hour < oldest) hours.delete(hour);
    if (hours.size === 0) this.stored.delete(tenantId);
    let sum = 0;
    for (const bytes of hours.values()) sum += bytes;
    return sum < this.most;
  }

  add(tenantId: string, bytes: number): void {
    const hours = this.stored.get(tenantId) ?? new Map<number, number>();
    hours.set(this.hour, (hours.get(this.hour) ?? 0) + bytes);
    this.stored.set(tenantId, hours);
  }

  private get hour(): number {
    return Math.floor(this.now() / HOUR_MS);
  }
}
