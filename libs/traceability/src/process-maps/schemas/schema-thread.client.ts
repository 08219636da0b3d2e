// The program of a thread of `SchemaThreads`.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { SchemaAnswers, SchemaWork } from './schema-work.js';

/** What a thread tells the service. */
export type SchemaMessage =
  | { readonly kind: 'ready'; readonly thread: string | null }
  | { readonly kind: 'seen'; readonly pointer: string }
  | { readonly kind: 'done'; readonly answer: SchemaAnswers[SchemaWork['kind']] }
  | { readonly kind: 'failed'; readonly error: string };

/** What the system calls this thread, where it says how much processor time a thread has used (Linux). */
function threadOf(): string | null {
  try {
    return readlinkSync('/proc/thread-self');
  } catch {
    return null;
  }
}

const port = parentPort!;
const say = (message: SchemaMessage): void => port.postMessage(message);

// On Linux a priority belongs to a thread: the one that answers requests goes first, also while this one loads its programs, which
// takes longer than most of its work.
if (process.platform === 'linux') setPriority(10);
const { SchemaWorker } = await import('./schema-work.js');
const worker = new SchemaWorker();
port.on('message', (work: SchemaWork) => {
  try {
    say({ kind: 'done', answer: worker.perform(work, (pointer) => say({ kind: 'seen', pointer })) });
  } catch (error) {
    say({ kind: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
say({ kind: 'ready', thread: threadOf() });
