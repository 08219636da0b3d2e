/** The time of the machine. The service runs on the database's (`DatabaseClock`), and tests move their own. */
export class Clock {
  now(): Date {
    return new Date();
  }
}

/** Maximum time, in milliseconds, for which one task may block the event loop. */
const MAX_BLOCKING_MS = 20;

/** Lets other tasks of the process run before the caller continues. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Maps items one after the other and yields to the event loop at intervals. The results are in the order of the items. */
export async function mapYielding<T, R>(items: readonly T[], work: (item: T, index: number) => R | Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let started = performance.now();
  for (const [i, item] of items.entries()) {
    results.push(await work(item, i));
    if (performance.now() - started < MAX_BLOCKING_MS) continue;
    await yieldToEventLoop();
    started = performance.now();
  }
  return results;
}
