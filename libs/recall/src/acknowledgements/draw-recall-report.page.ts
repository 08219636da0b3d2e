import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RecallReport } from './recall-report.page.js';
import { reportTooLarge } from '../errors.js';

/** A report that people read takes two seconds at most. */
const MOST_MS = 60_000;
const LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 256 };

/**
 * The PDF of a recall, drawn in a thread of its own: to lay out long words or many rows takes seconds, in which nobody else would be answered.
 * @throws DomainError 422 `report_too_large` where it takes too long, or too much memory
 */
export async function drawRecallReport(report: RecallReport, mostMs = MOST_MS): Promise<Uint8Array> {
  // Without the flags of the parent process, which do not apply to this thread.
  const thread = new Worker(new URL('recall-report-thread.page.js', import.meta.url), {
    ...{ name: 'recall report', workerData: report, execArgv: [], env: {}, resourceLimits: LIMITS },
  });
  try {
    const [bytes] = (await once(thread, 'message', { signal: AbortSignal.timeout(mostMs) })) as [Uint8Array];
    return bytes;
  } catch (error) {
    const { name, code } = error as { readonly name?: string; readonly code?: string };
    if (name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY') throw reportTooLarge();
    throw error;
  } finally {
    void thread.terminate();
  }
}
