/**
 * Closes one after the other, whatever became of those before: an engine that was started here and is left behind holds its folder, and
 * the next start with it.
 * @throws the first fault, when all had their turn
 */
export async function closeAll(closers: readonly (() => unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const close of closers)
    try {
      await close();
    } catch (error) {
      faults.push(error);
    }
  if (faults.length > 0) throw faults[0];
}
