import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { mapYielding } from '#kernel';
import { type ContentToSeal, requestOf, type Sealing, sealingsOf, sealOne, type SealingResponse } from './sealing-work.js';

/** From this number on a thread seals them: a single event would wait longer for it than its sealing takes. */
const THREAD_FROM = 32;
/** Contents of one message: the first are sealed while the last are written. */
const PART = 50;
/** An idle thread is kept for this time: the next document comes soon, and after it the memory is freed. */
const IDLE_MS = 10_000;
const LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 };

interface Pending {
  readonly resolve: (parts: readonly Sealing[] | null) => void;
}

/** Seals the contents of documents in a thread, while the one that answers requests examines the next ones. */
@Injectable()
export class SealContents implements OnApplicationShutdown {
  private thread: Worker | null = null;
  private readonly pending = new Map<number, Pending>();
  private idle: NodeJS.Timeout | undefined;
  private serial = 0;

  /** In their order; one that cannot be sealed has its error. */
  async sealAll(contents: readonly ContentToSeal[]): Promise<readonly Sealing[]> {
    if (contents.length < THREAD_FROM) return mapYielding(contents, sealOne);
    const parts: Promise<readonly Sealing[]>[] = [];
    for (let from = 0; from < contents.length; from += PART) parts.push(this.part(contents.slice(from, from + PART)));
    return (await Promise.all(parts)).flat();
  }

  onApplicationShutdown(): void {
    if (this.thread) this.end(this.thread);
  }

  private async part(contents: readonly ContentToSeal[]): Promise<readonly Sealing[]> {
    return (await this.ask(contents)) ?? mapYielding(contents, sealOne);
  }

  /** Null where the thread failed. */
  private ask(contents: readonly ContentToSeal[]): Promise<readonly Sealing[] | null> {
    clearTimeout(this.idle);
    const request = requestOf(++this.serial, contents);
    const thread = (this.thread ??= this.start());
    thread.ref();
    return new Promise((resolve) => {
      this.pending.set(request.id, { resolve });
      thread.postMessage(request);
    });
  }

  private start(): Worker {
    // Without the flags of the parent process, which do not apply to this thread.
    const thread = new Worker(new URL('sealing-thread.js', import.meta.url), {
      name: 'sealing',
      execArgv: [],
      env: {},
      resourceLimits: LIMITS,
    });
    thread.on('message', ({ id, parts, bytes }: SealingResponse) => {
      this.pending.get(id)?.resolve(parts && sealingsOf(parts, bytes));
      this.pending.delete(id);
      if (this.pending.size > 0) return;
      thread.unref();
      this.idle = setTimeout(() => this.end(thread), IDLE_MS).unref();
    });
    thread.on('error', () => this.end(thread));
    thread.on('exit', () => this.end(thread));
    return thread;
  }

  /** What it has not sealed is sealed by those who asked; the next document starts another thread. */
  private end(thread: Worker): void {
    if (this.thread !== thread) return;
    this.thread = null;
    clearTimeout(this.idle);
    void thread.terminate();
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { resolve } of waiting) resolve(null);
  }
}
