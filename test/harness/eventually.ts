import { setTimeout as pause } from 'node:timers/promises';

/** A limit against hanging, for a machine that does much else: never a measure of speed. */
export const PATIENCE_MS = 60_000;

/**
 * Polls until `probe` answers something true, and gives it back.
 * @throws Error naming what was waited for, and what was seen last
 */
export async function eventually<T>(
  what: string | (() => string),
  probe: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  { withinMs = PATIENCE_MS, everyMs = 10 }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const seen = await probe();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms in vain: ${typeof what === 'string' ? what : what()}`);
    await pause(everyMs);
  }
}

/** Polls until the assertion holds; its last failure is the test's. Tests wait with these two, never by sleeping. */
export async function eventuallyHolds<T>(assertion: () => T | Promise<T>, withinMs = PATIENCE_MS): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
      await pause(25);
    }
  }
}
