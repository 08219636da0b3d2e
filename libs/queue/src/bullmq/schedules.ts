import { isDeepStrictEqual } from 'node:util';
import type { Queue } from 'bullmq';
import { type JobOptions, isFarAhead, isOverdue } from '../job-queue.js';
import { bullMqOptions } from './job-options.js';

/**
 * Leaves a schedule alone that is as wanted. On PostgreSQL the library reads and writes a schedule without a lock: two processes that
 * make the same one at the same time would give its first job out twice, and so would one that makes it again while a job of it runs.
 */
export async function changeSchedule(queue: Queue, id: string, wanted: WantedSchedule): Promise<void> {
  const { name, everyMs, options } = wanted;
  const { attempts, backoff } = bullMqOptions(options);
  const retries = { attempts, ...(backoff && { backoff }) };
  const found = await queue.getJobScheduler(id);
  const next = found?.next ?? 0;
  // Its next job stays where it is when a schedule is only changed.
  if (isFarAhead(next, everyMs)) await queue.removeJobScheduler(id);
  else if (found && found.every === everyMs && !isOverdue(next)) {
    const { attempts: before = 1, backoff: pauses } = found.template?.opts ?? {};
    if (isDeepStrictEqual(retries, { attempts: before, ...(pauses !== undefined && { backoff: pauses }) })) return;
  }
  // A job a second would leave thousands of rows an hour.
  const opts = { ...retries, removeOnComplete: true, removeOnFail: { age: 3_600 } };
  await queue.upsertJobScheduler(id, { every: everyMs }, { name, data: {}, opts });
}

interface WantedSchedule {
  readonly name: string;
  readonly everyMs: number;
  readonly options: Pick<JobOptions, 'attempts' | 'backoff'>;
}
