import { setTimeout as pause } from 'node:timers/promises';

/**
 * Polls until `probe` answers something true, and gives it back.
 * @throws Error naming what was waited for, and what was seen last
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  { withinMs = 10_000, everyMs = 10 }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const seen = await probe();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms in vain: ${what}`);
    await pause(everyMs);
  }
}

/** Polls until the assertion holds; its last failure is the test's. Tests wait with these two, never by sleeping. */
export async function eventuallyHolds<T>(assertion: () => T | Promise<T>, withinMs = 15_000): Promise<T> {
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
