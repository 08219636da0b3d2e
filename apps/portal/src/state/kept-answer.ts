import { keep, kept } from './kept';
import { isOutOfReach } from './line';

/** Asks, and keeps the answer on the device; without a line the answer of before. Only for what a form cannot do without. */
export const orKept =
  <T>(name: string, ask: () => Promise<T>) =>
  async (): Promise<T> => {
    try {
      const answer = await ask();
      keep(`answer.${name}`, answer, 'device');
      return answer;
    } catch (problem) {
      const before = isOutOfReach(problem) ? kept<T>(`answer.${name}`, 'device') : null;
      if (before === null) throw problem;
      return before;
    }
  };
