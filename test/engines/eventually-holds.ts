import { setTimeout as wait } from 'node:timers/promises';

/** Polls until the assertion holds; its last failure is the test's. Tests wait with this, never by sleeping. */
export async function eventuallyHolds<T>(assertion: () => T | Promise<T>, withinMs = 15_000): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
      await wait(25);
    }
  }
}
