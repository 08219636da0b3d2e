import { NotCanonical, canonicalJson, escapePointer, wrongIdentifier } from '#kernel';
import { wrongNames } from './names-and-codes.js';
import { type Issue, fault, inMetadata } from '../event-reading.js';
import { valuesIn } from './schema-cost.js';

const MAX_METADATA_BYTES = 256 * 1024;

/** Metadata with more values are read by a thread, with their schema: walking through them takes milliseconds, several times. */
const MOST_VALUES = 5_000;

const examined = new WeakMap<object, readonly Issue[]>();

/** Whether a thread is to read the metadata first. */
export const areLarge = (metadata: object): boolean => !examined.has(metadata) && valuesIn(metadata, MOST_VALUES) > MOST_VALUES;

/** What a thread has found in metadata that are large. */
export const setTextIssues = (metadata: object, issues: readonly Issue[]): void => void examined.set(metadata, issues);

/** Whether metadata are held against the schema: without text that can be stored, further issues would be noise. */
export const schemaApplies = (issues: readonly Issue[]): boolean => !issues.some((issue) => issue.pointer === '/metadata');

/** What has to hold before anything is hashed: one way to write it, text that can be stored, the size. Metadata are read once. */
export function textIssues(metadata: object): readonly Issue[] {
  const known = examined.get(metadata);
  if (known) return known;
  const unwritable = formIssues(metadata);
  const issues = unwritable.length > 0 ? unwritable : contentIssues(metadata);
  examined.set(metadata, issues);
  return issues;
}

/** That it can be written in one way, and is not too large. */
function formIssues(metadata: object): Issue[] {
  try {
    const bytes = Buffer.byteLength(canonicalJson({ metadata }));
    if (bytes > MAX_METADATA_BYTES)
      return [fault('/metadata', 'content_too_large', `has ${bytes} bytes in its canonical form; at most 256 KiB are stored`)];
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return [fault(error.pointer, error.code, error.message)];
  }
  return [];
}

/** What its names and texts get wrong. */
function contentIssues(metadata: object): Issue[] {
  const issues: Issue[] = [];
  const judge = (members: unknown, path: readonly string[]): void => {
    if (typeof members !== 'object' || members === null) return;
    for (const { name, code, message } of wrongNames(members as Readonly<Record<string, unknown>>))
      issues.push(fault(pointerOf([...path, name]), code, message));
  };
  judge(metadata, []);
  visit(metadata, [], (key, value, path) => {
    judge(value, path);
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
  const names = Array.isArray(value) ? null : Object.keys(value);
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const [i, member] of members.entries()) {
    // A number in a list has neither a name nor text.
    if (names === null && typeof member !== 'string' && typeof member !== 'object') continue;
    const key = names?.[i] ?? String(i);
    path.push(key);
    see(key, member, path);
    visit(member, path, see);
    path.pop();
  }
}
