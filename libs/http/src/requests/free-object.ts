import { addProblem, escapePointer, jsonTextFaults, type Problem, textFaults } from '#kernel';

/** Checks a text, or the texts of a list. */
export function fieldTextFaults(value: unknown, pointer: string): Problem[] {
  if (Array.isArray(value))
    return jsonTextFaults(
      value.map((item: unknown) => (typeof item === 'string' ? item : null)),
      pointer,
    );
  return typeof value === 'string' ? textFaults(value, pointer) : [];
}

/** Names, texts and numbers of a free-form object at any depth, and the size of the whole. */
export function freeObjectFaults(value: object, pointer: string, maxBytes: number): Problem[] {
  const faults = [...jsonTextFaults(value, pointer), ...numberFaults(value, pointer)];
  if (faults.length > 0) return faults;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= maxBytes) return [];
  return [{ pointer, code: 'too_large', message: `${pointer} has ${bytes} bytes of JSON; ${maxBytes} is the most.` }];
}

/** JSON.parse has already made Infinity of 1e400, and rounded an integer beyond 2^53. */
function numberFaults(value: unknown, pointer: string): Problem[] {
  const found: Problem[] = [];
  const visit = (here: unknown, at: string): void => {
    if (typeof here === 'object' && here !== null)
      for (const [name, member] of Object.entries(here)) visit(member, `${at}/${escapePointer(name)}`);
    else if (typeof here === 'number' && !(Number.isFinite(here) && (!Number.isInteger(here) || Number.isSafeInteger(here))))
      addProblem(found, () => outOfRange(at));
  };
  visit(value, pointer);
  return found;
}

const outOfRange = (pointer: string): Problem => ({
  pointer,
  code: 'number_out_of_range',
  message: `${pointer} is a number that cannot be kept exactly: integers go up to 2^53 - 1, and a decimal string has no limit.`,
});
