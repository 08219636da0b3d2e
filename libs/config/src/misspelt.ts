import { distance } from 'fastest-levenshtein';
import type { Env } from './reader.js';
import { SETTINGS } from './settings.js';

/** Shorter names are near to each other by chance. */
const SHORTEST = 8;
const MOST_EDITS = 2;

/** A sentence for each variable whose name is nearly that of a setting: it would be ignored without a word. */
export function misspeltSettings(env: Env): readonly string[] {
  const known = Object.keys(SETTINGS);
  const isKnown = (name: string): boolean => known.includes(name) || known.includes(name.replace(/_FILE$/, ''));
  return Object.keys(env)
    .filter((name) => name.length >= SHORTEST && name.includes('_') && !isKnown(name))
    .flatMap((name) => {
      const meant = known
        .filter((setting) => distance(name, setting) <= MOST_EDITS)
        .toSorted((a, b) => distance(name, a) - distance(name, b))[0];
      return meant === undefined ? [] : [`${name} is no setting and has no effect: did you mean ${meant}?`];
    });
}
