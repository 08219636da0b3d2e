import { escapePointer, jsonTextFaults, type Problem, textFaults } from '#kernel';

/** Checks a text, or the texts of a list. */
export function fieldTextFaults(value: unknown, pointer: string): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => (typeof item === 'string' ? textFaults(item, `${pointer}/${i}`) : []));
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
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, member]) => numberFaults(member, `${pointer}/${escapePointer(name)}`));
  if (typeof value !== 'number' || (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)))) return [];
  const message = `${pointer} is a number that cannot be kept exactly: integers go up to 2^53 - 1, and a decimal string has no limit.`;
  return [{ pointer, code: 'number_out_of_range', message }];
}
