import { leavesOf, type OpenedLeaf, pointerOf } from '#envelope';
import { type Json, spellingPattern } from '#kernel';
import { type RefusedPointer, refusedPointer } from './erasure.rules.js';

/** How values that name a person are found: in JavaScript, and in PostgreSQL with more hits. */
export interface SubjectPattern {
  readonly finds: (text: string) => boolean;
  /** For `~*` on text in the normal form C. */
  readonly pattern: string;
}

/** A name or an address in any case and with any spaces; a phone number however its digits are grouped. Whole words only. */
export function subjectPattern(value: string): SubjectPattern {
  const inner = spellingPattern(value.normalize('NFC').trim());
  const inside = new RegExp(`(?<![\\p{L}\\p{N}])${inner}(?![\\p{L}\\p{N}])`, 'iu');
  return {
    finds: (said) => inside.test(said.normalize('NFC')),
    // Without what the two engines read differently: the rows are compared again.
    pattern: inner,
  };
}

/** Values that say the name, number or address, alone or among other words. */
export const namedBy = (leaves: readonly OpenedLeaf[], { finds }: SubjectPattern): OpenedLeaf[] =>
  leaves.filter(({ value }) => (typeof value === 'string' || typeof value === 'number') && finds(String(value)));

/** Values in the clear that say it. */
export const publicNames = (shown: { readonly [key: string]: Json }, { finds }: SubjectPattern): RefusedPointer[] =>
  leavesOf(shown).flatMap(({ path, value }) =>
    (typeof value === 'string' || typeof value === 'number') && finds(String(value))
      ? [refusedPointer(pointerOf(path), 'not_erasable')]
      : [],
  );
