/** What `inTime` gives instead of an answer. */
export const TOO_LATE: unique symbol = Symbol('too late');

const TURN_MS = 50;

/**
 * The answer of a store, null where it failed, or `TOO_LATE` when it did not come within so many milliseconds. They are counted in turns
 * of the event loop: a process that got no time was not waiting, and between two turns it sees what has come meanwhile.
 */
export function inTime<T>(answer: Promise<T>, limitMs: number): Promise<T | null | typeof TOO_LATE> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof TOO_LATE>((resolve) => {
    let left = Math.ceil(limitMs / TURN_MS);
    const turn = (): void => {
      if (left-- === 0) setImmediate(resolve, TOO_LATE);
      else timer = setTimeout(turn, TURN_MS);
    };
    turn();
  });
  return Promise.race([answer.catch(() => null), limit]).finally(() => clearTimeout(timer));
}
