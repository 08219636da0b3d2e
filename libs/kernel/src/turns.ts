/** So long, in milliseconds, one piece of work may keep the process from everybody else's. */
const TURN_MS = 20;

export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Works on many things one after the other; in between, others have their turn. The results in their order. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T, index: number) => R | Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let began = performance.now();
  for (const [i, item] of items.entries()) {
    results.push(await work(item, i));
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
  return results;
}
