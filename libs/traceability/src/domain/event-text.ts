import { NotCanonical, canonicalJson, escapePointer } from '#kernel';
import { wrongIdentifier } from './check-digits.js';
import { type Issue, fault, inMetadata } from './issue.js';

export const MAX_METADATA_BYTES = 256 * 1024;

/** What has to hold before anything is hashed: one way to write it, text that can be stored, the size. */
export function textIssues(metadata: object): Issue[] {
  try {
    const bytes = Buffer.byteLength(canonicalJson({ metadata }));
    if (bytes > MAX_METADATA_BYTES)
      return [fault('/metadata', 'content_too_large', `has ${bytes} bytes in its canonical form; at most 256 KiB are stored`)];
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return [fault(error.pointer, error.code, error.message)];
  }
  const issues: Issue[] = [];
  visit(metadata, [], (key, value, path) => {
    if (key.includes('\u0000') || (typeof value === 'string' && value.includes('\u0000')))
      issues.push(fault(pointerOf(path), 'nul_character', 'contains the character U+0000, which cannot be stored'));
    const wrong = wrongIdentifier(key, value);
    if (wrong) issues.push(fault(pointerOf(path), 'wrong_check_digit', `the check digit of the ${wrong} is wrong`));
  });
  return issues;
}

const pointerOf = (path: readonly string[]): string => inMetadata(path.map((key) => `/${escapePointer(key)}`).join(''));

function visit(value: unknown, path: string[], see: (key: string, value: unknown, path: readonly string[]) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    path.push(key);
    see(key, member, path);
    visit(member, path, see);
    path.pop();
  }
}
