import { Clock, DomainError, EngineUnavailable } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type JobContext, JobQueue, enqueueJob } from '#queue';
import { Injectable } from '@nestjs/common';
import type { CaptureProgress } from '../capture/capture-document.js';
import { CaptureEvents } from './capture-events.js';
import { type CaptureJob, CaptureJobQueries, type CapturedOutcome } from './capture-jobs.queries.js';
import { type QueuedCapture, isSuccess, runCaptureTopic } from './start-capture.js';

/** Captures the document of a job. May run again from its beginning: what it has prepared is not prepared again. */
@Injectable()
export class RunCapture {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly jobs: CaptureJobQueries,
    private readonly captureEvents: CaptureEvents,
  ) {}

  async run(job: QueuedCapture, context: JobContext): Promise<void> {
    const { jobId } = job;
    const task = await this.work.read(job, (tx) => this.jobs.task(tx, jobId));
    if (!task) return;
    const { actor, document, from, errorBehaviour } = task;
    try {
      const prepared = await this.work.read(job, (tx) => this.jobs.prepared(tx, jobId));
      const save: CaptureProgress['save'] = (tx, events) => this.jobs.addPrepared(tx, jobId, events);
      const allOrNothing = errorBehaviour === 'rollback';
      await this.finish(
        job,
        await this.captureEvents.capture(actor, document, { from, allOrNothing, progress: { jobId, prepared, save } }),
      );
    } catch (error) {
      const refusal = refusalOf(error, context);
      if (!refusal) throw error;
      await this.finish(job, [failed(refusal)]);
      if (refusal !== error) throw error;
    }
  }

  private async finish(job: QueuedCapture, events: CaptureJob['events']): Promise<void> {
    await this.work.inTransaction(job, async (tx) => {
      const ended = { id: job.jobId, finishedAt: this.clock.now(), success: isSuccess(events), events };
      if ((await this.jobs.finish(tx, ended)) && !ended.success) await this.jobs.release(tx, job.jobId);
    });
  }
}

/** Captures that no job runs: the queue was away, or has lost them. */
@Injectable()
export class ResumeCaptures {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly jobs: CaptureJobQueries,
    private readonly queue: JobQueue,
  ) {}

  async resume(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - OVERDUE_MS);
    const unfinished = await this.work.readAsSystem((tx) => this.jobs.unfinished(tx, before, MOST));
    for (const capture of unfinished) await enqueueJob(this.queue, runCaptureTopic, capture, `${capture.tenantId}/${capture.jobId}`);
  }
}

/** After that time a job has begun, or waits with its key in the queue. */
const OVERDUE_MS = 60_000;
const MOST = 1_000;

/** Why the whole document is refused; null: the job is to run again. */
function refusalOf(error: unknown, { signal, lastAttempt }: JobContext): DomainError | null {
  if (signal.aborted || error instanceof EngineUnavailable) return null;
  if (error instanceof DomainError && error.status < 500) return error;
  return lastAttempt ? new DomainError('internal_error', 500, 'The service could not capture the document. Send it again later.') : null;
}

const failed = ({ code, message, details }: DomainError): CapturedOutcome => ({
  pointer: '',
  eventID: null,
  eventHashID: null,
  outcome: 'refused',
  eventId: null,
  preparedTx: null,
  hints: null,
  problems: details.errors ?? [{ pointer: '', code, message }],
});
