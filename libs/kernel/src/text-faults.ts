import { escapePointer } from './canonical-json.js';
import type { Problem } from './problem.js';

/** PostgreSQL cannot store U+0000 in a text. */
export const nulCharacter = (pointer: string): Problem => ({
  pointer,
  code: 'nul_character',
  message: `${pointer} contains the character U+0000.`,
});

/** UTF-8 cannot encode half of a surrogate pair: the stored text would differ from the one that was sent. */
export const loneSurrogate = (pointer: string): Problem => ({
  pointer,
  code: 'lone_surrogate',
  message: `${pointer} contains half of a surrogate pair, which is not Unicode text.`,
});

/** What keeps a text from being stored as it was sent. */
export const textFaults = (text: string, pointer: string): Problem[] => [
  ...(text.includes('\0') ? [nulCharacter(pointer)] : []),
  ...(/\p{Surrogate}/u.test(text) ? [loneSurrogate(pointer)] : []),
];

/** Of every text and name in a JSON value. A name with a fault is reported at its object. */
export function jsonTextFaults(value: unknown, pointer: string): Problem[] {
  if (typeof value === 'string') return textFaults(value, pointer);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const faults = textFaults(name, pointer);
    return faults.length > 0 ? faults : jsonTextFaults(member, `${pointer}/${escapePointer(name)}`);
  });
}
