import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { MAX_CONTENT_BYTES } from '../canonical-bytes.js';
import type { Answer, Asking, BlockFile } from './read-thread.js';

const PROGRAM = fileURLToPath(new URL('./read-thread.js', import.meta.url));
/** So long a thread without work is kept: a history asks again at once, and what is over gives its memory back. */
const IDLE_MS = 10_000;
/** It holds names and lengths only, its bytes lie outside; unbounded, its heap would grow to 100 MB before it is looked through. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 24, stackSizeMb: 1 };

interface Asked {
  readonly resolve: (blocks: readonly (Uint8Array | null)[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reads and checks many files in a thread of its own. One by one, each costs this thread four answers of the system; there they cost it
 * one message for all. Never keeps a process alive by itself, only while somebody waits.
 */
export class ReadingThread {
  private thread: Worker | null = null;
  private readonly asked = new Map<number, Asked>();
  private idle: NodeJS.Timeout | undefined;
  private serial = 0;

  /** In their order; null for what is not there whole, whatever the reason. @throws whatever ended the thread */
  read(files: readonly BlockFile[]): Promise<readonly (Uint8Array | null)[]> {
    clearTimeout(this.idle);
    const asking: Asking = { id: ++this.serial, files };
    const thread = (this.thread ??= this.begin());
    thread.ref();
    return new Promise((resolve, reject) => {
      this.asked.set(asking.id, { resolve, reject });
      thread.postMessage(asking);
    });
  }

  private begin(): Worker {
    // Without the parent's own flags: none of them is for this.
    const thread = new Worker(PROGRAM, { workerData: { most: MAX_CONTENT_BYTES }, resourceLimits: LIMITS, execArgv: [] });
    thread.on('message', ({ id, bytes, lengths }: Answer) => {
      this.asked.get(id)?.resolve(cut(bytes, lengths));
      this.asked.delete(id);
      if (this.asked.size === 0) this.rest(thread);
    });
    thread.on('error', (error: Error) => this.lose(thread, error));
    thread.on('exit', () => this.lose(thread, new Error('the reading thread ended')));
    return thread;
  }

  private rest(thread: Worker): void {
    thread.unref();
    this.idle = setTimeout(() => {
      this.thread = null;
      void thread.terminate();
    }, IDLE_MS).unref();
  }

  /** The next one who reads begins another. */
  private lose(thread: Worker, error: Error): void {
    if (this.thread !== thread) return;
    this.thread = null;
    clearTimeout(this.idle);
    for (const { reject } of this.asked.values()) reject(error);
    this.asked.clear();
  }
}

function cut(bytes: Uint8Array, lengths: readonly number[]): (Uint8Array | null)[] {
  let at = 0;
  return lengths.map((length) => (length < 0 ? null : bytes.subarray(at, (at += length))));
}
