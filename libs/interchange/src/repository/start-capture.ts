import { type Actor, Clock, EngineUnavailable, type TenantScope, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { JobQueue, enqueueJob, queuedJobTopic } from '#queue';
import { Injectable } from '@nestjs/common';
import { capturable } from '../capture/capture-document.js';
import type { Json } from '../epcis/json.js';
import { CaptureEvents } from './capture-events.js';
import { type CaptureJob, CaptureJobQueries, type ErrorBehaviour } from './capture-jobs.queries.js';

/** Its document and its actor are in the database, which holds the truth. */
export interface QueuedCapture extends TenantScope {
  readonly jobId: string;
}

export const runCaptureTopic = queuedJobTopic<QueuedCapture>('interchange.run-capture', { attempts: 3 });

interface Capture {
  readonly from: string | null;
  readonly errorBehaviour: ErrorBehaviour;
}

/** `POST /epcis/{tenant}/capture`: what becomes of the events is a job. */
@Injectable()
export class StartCapture {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly jobs: CaptureJobQueries,
    private readonly queue: JobQueue,
    private readonly captureEvents: CaptureEvents,
  ) {}

  /** @throws DomainError 422 for a body that is no EPCIS document */
  async start(actor: Actor, document: Json, { from, errorBehaviour }: Capture): Promise<CaptureJob> {
    capturable(document);
    const job: CaptureJob = { id: newId(), createdAt: this.clock.now(), finishedAt: null, errorBehaviour, success: true, events: [] };
    const before = await this.work.inTransaction(actor, async (tx) => {
      const count = await this.jobs.countUnfinished(tx);
      await this.jobs.insert(tx, job, actor, { document, actor, from });
      return count;
    });
    const { tenantId } = actor;
    try {
      // A tenant's second capture comes behind the first one of every other tenant.
      await enqueueJob(this.queue, runCaptureTopic, { tenantId, jobId: job.id }, `${tenantId}/${job.id}`, before + 1);
    } catch (error) {
      // `ResumeCapturesJob` finds it.
      if (!(error instanceof EngineUnavailable)) throw error;
    }
    return job;
  }

  /** One event, for a caller who waits for the answer. @throws DomainError 422 for a body that is no event */
  async captureNow(actor: Actor, document: Json, { from, errorBehaviour }: Capture): Promise<CaptureJob> {
    const createdAt = this.clock.now();
    const events = await this.captureEvents.capture(actor, document, { from, allOrNothing: errorBehaviour === 'rollback' });
    const finishedAt = this.clock.now();
    const job: CaptureJob = { id: newId(), createdAt, finishedAt, errorBehaviour, success: isSuccess(events), events };
    await this.work.inTransaction(actor, (tx) => this.jobs.insert(tx, job, actor, null));
    return job;
  }
}

export const isSuccess = (events: CaptureJob['events']): boolean => events.every(({ outcome }) => outcome !== 'refused');
