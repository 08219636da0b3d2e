import { type Actor, Clock } from '#kernel';
import { JobQueue, enqueueJob, queuedJobTopic } from '#queue';
import { Injectable } from '@nestjs/common';
import { type ReportKey, type ReportRequest, questionOf } from './read-report.js';

/** A question as a job carries it: times are text. */
export interface RefreshedQuestion {
  readonly report: string;
  readonly actor: Actor;
  readonly request: Omit<ReportRequest, 'from' | 'to'> & { readonly from: string | null; readonly to: string | null };
}

/** Few attempts: who reads the outdated answer next makes a new job. */
export const refreshReportTopic = queuedJobTopic<RefreshedQuestion>('reporting.refresh-report', { attempts: 3 });

/** Until a process asks again for the same refresh: a queue may have lost it. */
const ASK_AGAIN_MS = 10_000;
/** Questions that a process remembers. */
const MAX_ASKED = 1_000;

/** Asks the workers for a newer answer to a question. One job computes it, however many processes ask. */
@Injectable()
export class RequestRefresh {
  private readonly askedAt = new Map<string, number>();

  constructor(
    private readonly queue: JobQueue,
    private readonly clock: Clock,
  ) {}

  /** @throws EngineUnavailable('queue') */
  async request(key: ReportKey, actor: Actor, request: ReportRequest): Promise<void> {
    const work = `${actor.tenantId}/${questionOf(key, actor, request)}`;
    const now = this.clock.now().getTime();
    // Everybody who reads an outdated answer comes here: one message to the queue is enough.
    if (now - (this.askedAt.get(work) ?? -Infinity) < ASK_AGAIN_MS) return;
    if (this.askedAt.size >= MAX_ASKED) this.askedAt.clear();
    this.askedAt.set(work, now);
    const { from, to, ...rest } = request;
    const payload = { report: key.name, actor, request: { ...rest, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null } };
    try {
      await enqueueJob(this.queue, refreshReportTopic, payload, work);
    } catch (error) {
      this.askedAt.delete(work);
      throw error;
    }
  }
}
