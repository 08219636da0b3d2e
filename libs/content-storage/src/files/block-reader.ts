import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { MAX_CONTENT_BYTES } from '../content-store.js';
import type { BlockFile, ReadRequest, ReadResponse } from './block-reader-thread.js';

const PROGRAM = fileURLToPath(new URL('./block-reader-thread.js', import.meta.url));
/** An idle thread is kept for this time: a backfill reads again immediately, and after it the memory is freed. */
const IDLE_MS = 10_000;
/** The heap contains only names and lengths; the bytes are outside. Without limits it would grow to 100 MB before a collection. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 24, stackSizeMb: 1 };

interface PendingRead {
  readonly resolve: (blocks: readonly (Uint8Array | null)[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reads and verifies many files in a worker thread. On the main thread each file would need four asynchronous system calls; this way all of
 * them need one message. It keeps the process alive only while a read is pending.
 */
export class BlockReader {
  private thread: Worker | null = null;
  private readonly pending = new Map<number, PendingRead>();
  private idle: NodeJS.Timeout | undefined;
  private serial = 0;

  /** The blocks in the order of the files; null for a missing or damaged one. @throws the error that ended the thread */
  read(files: readonly BlockFile[]): Promise<readonly (Uint8Array | null)[]> {
    clearTimeout(this.idle);
    const request: ReadRequest = { id: ++this.serial, files };
    const thread = (this.thread ??= this.start());
    thread.ref();
    return new Promise((resolve, reject) => {
      this.pending.set(request.id, { resolve, reject });
      thread.postMessage(request);
    });
  }

  private start(): Worker {
    // Without the flags of the parent process, which do not apply to this thread.
    const thread = new Worker(PROGRAM, { workerData: { maxBytes: MAX_CONTENT_BYTES }, resourceLimits: LIMITS, execArgv: [] });
    thread.on('message', ({ id, bytes, lengths }: ReadResponse) => {
      this.pending.get(id)?.resolve(split(bytes, lengths));
      this.pending.delete(id);
      if (this.pending.size === 0) this.idleUntilTimeout(thread);
    });
    thread.on('error', (error: Error) => this.fail(thread, error));
    thread.on('exit', () => this.fail(thread, new Error('the reading thread ended')));
    return thread;
  }

  private idleUntilTimeout(thread: Worker): void {
    thread.unref();
    this.idle = setTimeout(() => {
      this.thread = null;
      void thread.terminate();
    }, IDLE_MS).unref();
  }

  /** The next read starts another thread. */
  private fail(thread: Worker, error: Error): void {
    if (this.thread !== thread) return;
    this.thread = null;
    clearTimeout(this.idle);
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }
}

function split(bytes: Uint8Array, lengths: readonly number[]): (Uint8Array | null)[] {
  let at = 0;
  return lengths.map((length) => (length < 0 ? null : bytes.subarray(at, (at += length))));
}
