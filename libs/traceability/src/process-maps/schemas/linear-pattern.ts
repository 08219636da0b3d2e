import { RE2JS, RE2JSException } from 're2js';
import { type PatternFault, toRe2 } from './pattern-syntax.js';

/** Longer texts match no pattern. */
export const MAX_MATCHED = 4096;
/** Instructions of one program: each character of a text can cost that many of them. */
const MAX_PROGRAM = 2000;

/** A regular expression of a tenant, matched in time that is linear in the text. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Instructions of its program. */
  readonly size: number;
  /** Ajv distinguishes patterns by their text. */
  toString(): string;
}

/** Compiles an ECMAScript expression (flag `u`) for a linear engine, or says why it cannot be one (docs/spec/domain.md#process-maps). */
export function linearPattern(source: string): LinearPattern | PatternFault {
  const translated = toRe2(source);
  if (typeof translated !== 'string') return translated;
  const tooLarge: PatternFault = {
    code: 'schema_too_costly',
    message: `${source} has too many repetitions: written out, a pattern may have ${MAX_PROGRAM} instructions`,
  };
  try {
    const program = RE2JS.compile(translated);
    const size = program.programSize();
    if (size > MAX_PROGRAM) return tooLarge;
    return { size, test: (text) => text.length <= MAX_MATCHED && program.test(text), toString: () => `/${source}/u` };
  } catch (error) {
    // The syntax was checked before: what is left is the product of nested repetitions.
    if (error instanceof RE2JSException) return tooLarge;
    throw error;
  }
}

export const isPatternFault = (pattern: LinearPattern | PatternFault): pattern is PatternFault => 'code' in pattern;

const MAX_REMEMBERED = 500;
const remembered = new Map<string, LinearPattern | PatternFault>();

/** The same, remembered: a pattern is met with every event of its process. */
export function knownPattern(source: string): LinearPattern | PatternFault {
  const known = remembered.get(source);
  if (known) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
  const pattern = linearPattern(source);
  remembered.set(source, pattern);
  return pattern;
}
