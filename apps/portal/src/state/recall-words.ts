import { words } from './format';

/** Roman numerals stay as they are. */
export const classOf = (recallClass: string | null): string | null =>
  recallClass === null || recallClass === 'unclassified' ? null : /^I+$/.test(recallClass) ? `Class ${recallClass}` : words(recallClass);
