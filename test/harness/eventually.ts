import { setTimeout as pause } from 'node:timers/promises';

/** A limit against hanging on a busy machine, not a measure of speed. */
export const PATIENCE_MS = 60_000;
/** The least time that one call of a probe gets, also when the limit of the wait is shorter. */
const PROBE_MS = 30_000;
/** After a probe comes a pause of so many times its own length: what it asks works on the same processors as what is waited for. */
const REST = 4;
const MAX_REST_MS = 250;
const PENDING = Symbol('pending');

const restAfter = (began: number, leastMs: number): number => Math.max(leastMs, Math.min(MAX_REST_MS, REST * (performance.now() - began)));

/**
 * Polls until `probe` returns a true value, and returns it. A probe that never settles is given up at the end of the wait: its test
 * would otherwise end by the limit of the test, without a message.
 * @throws Error that names what was waited for
 */
export async function eventually<T>(
  what: string | (() => string),
  probe: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  { withinMs = PATIENCE_MS, everyMs = 10, probeMs = PROBE_MS }: Patience = {},
): Promise<T> {
  const end = Date.now() + withinMs;
  const timedOut = (why = ''): Error => new Error(`still waiting after ${withinMs} ms: ${typeof what === 'string' ? what : what()}${why}`);
  for (;;) {
    const began = performance.now();
    const seen = await settled(probe, Math.max(end, Date.now() + probeMs));
    if (seen === PENDING) throw timedOut(' (the last check never returned)');
    if (seen) return seen;
    if (Date.now() > end) throw timedOut();
    await pause(restAfter(began, everyMs));
  }
}

export interface Patience {
  readonly withinMs?: number;
  readonly everyMs?: number;
  readonly probeMs?: number;
}

/** Polls until the assertion holds; its last failure is the failure of the test. Tests wait with these two, never by sleeping. */
export async function eventuallyHolds<T>(assertion: () => T | Promise<T>, withinMs = PATIENCE_MS, probeMs = PROBE_MS): Promise<T> {
  const end = Date.now() + withinMs;
  let failure: unknown;
  for (;;) {
    const began = performance.now();
    try {
      const held = await settled(assertion, Math.max(end, Date.now() + probeMs));
      if (held !== PENDING) return held;
    } catch (error) {
      if (Date.now() > end) throw error;
      failure = error;
      await pause(restAfter(began, 25));
      continue;
    }
    throw new Error(`still waiting after ${withinMs} ms: the last check of an assertion never returned`, { cause: failure });
  }
}

/** The result of `work`, or PENDING when it has none at `end`. */
async function settled<T>(work: () => T | Promise<T>, end: number): Promise<T | typeof PENDING> {
  const over = new AbortController();
  const limit = pause(end - Date.now(), PENDING, { signal: over.signal });
  limit.catch(() => undefined);
  try {
    return await Promise.race([work(), limit]);
  } finally {
    over.abort();
  }
}
