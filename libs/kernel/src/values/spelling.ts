const PHONE = /^\+?[\d\s()./-]+$/;
const LEAST_DIGITS = 6;

/**
 * A pattern, for JavaScript and PostgreSQL, that finds a name or an address with any spaces, and a phone number however its digits are
 * grouped. Who uses it ignores case and asks for whole words.
 */
export function spellingPattern(text: string): string {
  const digits = text.replaceAll(/\D/g, '');
  if (!PHONE.test(text) || digits.length < LEAST_DIGITS) return wordsPattern(text);
  return `[+(]*${digits.split('').join(String.raw`[\s()./-]*`)}`;
}

/** As it is, with any spaces. */
export const wordsPattern = (text: string): string =>
  text
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
    .join(String.raw`\s+`);
