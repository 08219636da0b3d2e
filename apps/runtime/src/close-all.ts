import { setTimeout as wait } from 'node:timers/promises';
import { OperatorError } from './operator-error.js';

/** What is closed, in words for the operator, and how. */
export type Closer = readonly [what: string, close: () => unknown];

/** Longer than a request (25 s), a job (20 s) or an attempt of a webhook may take to end. */
const PART_MS = 60_000;

/**
 * Closes one after the other, even when one fails or does not end: an engine that is left running would lock its folder and prevent the next
 * start.
 * @throws the first fault, after all were closed
 */
export async function closeAll(closers: readonly Closer[], partMs = PART_MS): Promise<void> {
  const faults: unknown[] = [];
  for (const [what, close] of closers)
    try {
      await within(partMs, what, close);
    } catch (error) {
      faults.push(error);
    }
  if (faults.length > 0) throw faults[0];
}

async function within(ms: number, what: string, close: () => unknown): Promise<void> {
  const closed = new AbortController();
  const late = wait(ms, undefined, { signal: closed.signal }).then(() => {
    throw new OperatorError(`Closing ${what} took longer than ${ms / 1000} s, so it was not waited for.`);
  });
  late.catch(() => undefined);
  try {
    await Promise.race([close(), late]);
  } finally {
    closed.abort();
  }
}
