import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { rateLimited, serviceBusy } from '#http';
import type { SchemaMessage } from './schema-thread.client.js';
import type { SchemaAnswers, SchemaWork } from './schema-work.js';

/** How much time and room what tenants wrote may take (docs/reference/configuration.md). */
export class SchemaSettings {
  /** 0: half of the processors, at least 2 and at most 4. */
  readonly threads: number = 0;
  /** To check or compare process maps, and to compile a schema. */
  readonly checkMs: number = 5000;
  /** To hold the metadata of one event against a compiled schema. */
  readonly validationMs: number = 1000;
  /** The limits are processor time where the system tells it; in all, work may take this many times as long. */
  readonly longestWait: number = 10;
}

/** The work took longer, or more memory, than it may. */
export class TookTooLong extends Error {
  /** @param pointer the place that was checked */
  constructor(readonly pointer: string) {
    super('took too long');
  }
}

interface Job {
  readonly tenantId: string;
  readonly work: SchemaWork;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread ends when it has had nothing to do for this time: each needs some 30 MB. */
const IDLE_MS = 30_000;
const START_MS = 30_000;
const MAX_WAITING = 1000;
const MAX_HEAP_MB = 256;

/** Milliseconds of processor time of a thread; null where the system does not tell. */
function timeOf(thread: string | null): number | null {
  try {
    return thread === null ? null : Number(readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return null;
  }
}

/** One thread. It does one job at a time; one that takes too long ends it. */
class SchemaThread {
  job: Job | null = null;
  private readonly worker = new Worker(new URL('schema-thread.client.js', import.meta.url), {
    name: 'schemas',
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  private timer: NodeJS.Timeout;
  private isReady = false;
  private thread: string | null = null;
  private at = '';

  constructor(
    private readonly settings: SchemaSettings,
    /** It can take another job, or has ended. */
    private readonly changed: (thread: SchemaThread, ended: boolean) => void,
  ) {
    this.worker.on('message', (message: SchemaMessage) => this.receive(message));
    this.worker.on('error', (error: NodeJS.ErrnoException) =>
      this.end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new TookTooLong(this.at) : error),
    );
    this.worker.on('exit', () => this.end(new Error('a thread for schemas has ended')));
    this.worker.unref();
    this.timer = this.after(START_MS, () => this.end(new Error('a thread for schemas does not start')));
  }

  start(job: Job): void {
    this.job = job;
    this.at = '';
    // A process that waits for nothing else has to wait for this.
    this.worker.ref();
    if (this.isReady) this.send();
  }

  /** Ends it, and fails its job. */
  end(error: Error): void {
    clearTimeout(this.timer);
    this.worker.removeAllListeners();
    this.worker.on('error', () => undefined);
    void this.worker.terminate();
    const { job } = this;
    this.job = null;
    this.changed(this, true);
    job?.reject(error);
  }

  private after(ms: number, act: () => void): NodeJS.Timeout {
    clearTimeout(this.timer);
    return setTimeout(act, ms).unref();
  }

  private send(): void {
    this.limit(this.settings.checkMs);
    this.worker.postMessage(this.job!.work);
  }

  private limit(ms: number): void {
    const [from, used] = [performance.now(), timeOf(this.thread)];
    const longest = used === null ? ms : ms * this.settings.longestWait;
    const check = (): void => {
      const waited = performance.now() - from;
      const left = ms - (used === null ? waited : (timeOf(this.thread) ?? 0) - used);
      if (left <= 0) this.end(new TookTooLong(this.at));
      else if (waited >= longest) this.end(serviceBusy(Math.ceil(waited / 1000)));
      else this.timer = this.after(Math.max(10, Math.min(left, longest - waited)), check);
    };
    this.timer = this.after(Math.min(ms, longest), check);
  }

  private receive(message: SchemaMessage): void {
    if (message.kind === 'seen') {
      this.at = message.pointer;
      // From here on the event counts, not its schema.
      if (this.job?.work.kind === 'judge') this.limit(this.settings.validationMs);
      return;
    }
    if (message.kind === 'ready') {
      this.isReady = true;
      this.thread = message.thread;
      if (this.job) this.send();
      else this.rest();
      return;
    }
    const { job } = this;
    this.job = null;
    this.rest();
    if (message.kind === 'done') job?.resolve(message.answer as never);
    else job?.reject(new Error(`a thread for schemas failed: ${message.error}`));
    this.changed(this, false);
  }

  private rest(): void {
    this.worker.unref();
    this.timer = this.after(IDLE_MS, () => this.end(new Error('idle')));
  }
}

/**
 * Runs what tenants wrote, and what could take long, in threads other than the one that answers requests. A tenant has all of them but one
 * at most, and the tenants with waiting work alternate (docs/adr/0021-threads-for-schemas.md).
 */
@Injectable()
export class SchemaThreads implements OnApplicationShutdown {
  private readonly threads = new Set<SchemaThread>();
  /** By tenant, the one served longest ago first. */
  private readonly waiting = new Map<string, Job[]>();
  private readonly settings: SchemaSettings;
  private readonly most: number;
  private isClosed = false;

  constructor(@Optional() settings?: SchemaSettings) {
    this.settings = settings ?? new SchemaSettings();
    this.most = this.settings.threads || Math.min(4, Math.max(2, Math.floor(availableParallelism() / 2)));
  }

  /** @throws TookTooLong, DomainError 429 `rate_limited` when too much of the tenant's waits, 503 `service_busy` without processor time */
  run<K extends SchemaWork['kind']>(tenantId: string, work: SchemaWork & { readonly kind: K }): Promise<SchemaAnswers[K]> {
    if (this.isClosed) return Promise.reject(new Error('the service is stopping'));
    const queue = this.waiting.get(tenantId) ?? [];
    if (queue.length >= MAX_WAITING) return Promise.reject(rateLimited(1));
    return new Promise((resolve, reject) => {
      queue.push({ tenantId, work, resolve, reject });
      this.waiting.set(tenantId, queue);
      this.next();
    });
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    for (const jobs of this.waiting.values()) for (const job of jobs) job.reject(new Error('the service is stopping'));
    this.waiting.clear();
    for (const thread of this.threads) thread.end(new Error('the service is stopping'));
  }

  private next(): void {
    for (;;) {
      const job = this.take();
      if (!job) return;
      this.free().start(job);
    }
  }

  /** The first job of the tenant whose turn it is, if there is a thread for it. */
  private take(): Job | null {
    const busy = [...this.threads].flatMap(({ job }) => (job ? [job] : []));
    if (busy.length >= this.most) return null;
    const share = Math.max(1, this.most - 1);
    for (const [tenantId, jobs] of this.waiting) {
      if (busy.filter((job) => job.tenantId === tenantId).length >= share) continue;
      const job = jobs.shift()!;
      this.waiting.delete(tenantId);
      if (jobs.length > 0) this.waiting.set(tenantId, jobs);
      return job;
    }
    return null;
  }

  private free(): SchemaThread {
    for (const thread of this.threads) if (!thread.job) return thread;
    const thread = new SchemaThread(this.settings, (changed, ended) => {
      if (ended) this.threads.delete(changed);
      if (!this.isClosed) this.next();
    });
    this.threads.add(thread);
    return thread;
  }
}
