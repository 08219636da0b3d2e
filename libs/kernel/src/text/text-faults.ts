import { escapePointer } from '../values/canonical-json.js';
import { addProblem, type Problem } from '../requests/problem.js';

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
  const found: Problem[] = [];
  const add = (faults: readonly Problem[]): boolean => {
    for (const fault of faults) addProblem(found, () => fault);
    return faults.length > 0;
  };
  const visit = (here: unknown, at: string): void => {
    if (typeof here === 'string') add(textFaults(here, at));
    else if (typeof here === 'object' && here !== null)
      for (const [name, member] of Object.entries(here)) if (!add(textFaults(name, at))) visit(member, `${at}/${escapePointer(name)}`);
  };
  visit(value, pointer);
  return found;
}
