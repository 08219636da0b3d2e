import { newId } from '#kernel';
import { recordedSpan } from '#tracing';
import type { JobsOptions } from 'bullmq';
import type { JobOptions } from '../job-queue.js';

/** The engine's own ids are numbers, which `encodeId` cannot tell from given ones. */
export function bullMqOptions({ jobId = newId(), key, delayMs, priority, attempts, backoff }: JobOptions): JobsOptions {
  const traceparent = recordedSpan()?.traceparent;
  return {
    jobId: encodeId(jobId),
    ...(key !== undefined && { deduplication: { id: encodeId(key) } }),
    ...(delayMs && { delay: delayMs }),
    ...(priority && { priority }),
    attempts: attempts ?? 1,
    ...(backoff && { backoff: { type: backoff.type, delay: backoff.delayMs } }),
    ...(traceparent && { telemetry: { metadata: traceparent, omitContext: true } }),
  };
}

/** BullMQ refuses ids with a colon and ids that look like integers; ours may be any text. */
export const encodeId = (id: string): string => (/^\d+$/.test(id) ? `%${id}` : encodeURIComponent(id));
export const decodeId = (id: string): string => {
  if (/^%\d+$/.test(id)) return id.slice(1);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
};
