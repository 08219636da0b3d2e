import { malformedRequest } from '#http';

/** One of some words, or null where none was given. @throws DomainError 400 `malformed_request` */
export function oneOf<T extends string>(words: readonly T[], word: string | undefined, pointer: string): T | null {
  if (word === undefined) return null;
  const found = words.find((one) => one === word);
  if (found === undefined)
    throw malformedRequest([{ pointer, code: 'not_allowed', message: `${pointer.slice(1)} must be one of ${words.join(', ')}.` }]);
  return found;
}

/** `true` or `false`, the latter where none was given. */
export const flag = (word: string | undefined, pointer: string): boolean => oneOf(['true', 'false'], word, pointer) === 'true';
