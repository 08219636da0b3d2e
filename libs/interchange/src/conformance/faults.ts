import { type Problem, addProblem, escapePointer } from '#kernel';
import { type Vocabulary, wordOf } from '../epcis/cbv.js';
import { type Json, isObject } from '../epcis/json.js';

/** xsd:dateTimeStamp: a date with a time and an offset. */
const TIME = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]((0\d|1[0-3]):[0-5]\d|14:00))$/;
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/;
/** Bytes of a URI: names of things and events are found by indexes, which have no longer ones. */
export const LONGEST_URI = 1_000;
/** A name with a prefix, or a URI: it means what its namespace says. */
const PREFIXED = /^[^\s:]+:[^\s]+$/;

export const isTime = (value: unknown): value is string => {
  const [, date] = typeof value === 'string' ? (TIME.exec(value) ?? []) : [];
  if (date === undefined) return false;
  // Date rolls the 30th of February over into March.
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
};

/** What is wrong with a document or an event, collected member by member. */
export class Faults {
  readonly found: Problem[] = [];

  constructor(private readonly pointer: string) {}

  add(at: string, code: string, message: string): void {
    addProblem(this.found, () => ({ pointer: this.pointer + at, code, message }));
  }

  noBareKeys(value: Json, known: ReadonlySet<string>, ignored: (key: string) => boolean = () => false, at = ''): void {
    for (const key of Object.keys(value))
      if (!known.has(key) && !PREFIXED.test(key) && !ignored(key))
        this.add(`${at}/${escapePointer(key)}`, 'bare_unknown_key', `${key} is no member that EPCIS knows; an extension needs a prefix.`);
  }

  list(value: Json, name: string, at = ''): readonly unknown[] {
    const given = value[name];
    // JSON-LD: one value counts as a list of it.
    if (given === undefined || Array.isArray(given) || isObject(given)) return listOf(given);
    this.add(`${at}/${name}`, 'wrong_type', `${name} must be a list.`);
    return [];
  }

  time(value: Json, name: string, required = false, at = ''): void {
    const given = value[name];
    if (given === undefined && !required) return;
    if (!isTime(given))
      this.add(
        `${at}/${name}`,
        given === undefined ? 'required' : 'bad_time',
        `${name} must be a date and time with an offset (ISO 8601).`,
      );
  }

  uri(value: Json, name: string, required = false): void {
    if (value[name] !== undefined || required) this.isUri(value[name], `/${name}`);
  }

  isUri(given: unknown, at: string): void {
    if (typeof given !== 'string' || !URI.test(given))
      this.add(at, given === undefined ? 'required' : 'no_uri', `${at.split('/').at(-1)!} must be a URI.`);
    else if (Buffer.byteLength(given) > LONGEST_URI) this.add(at, 'too_long', `A URI has at most ${LONGEST_URI} bytes.`);
  }

  /** A word of the list in any spelling, or a private URI. */
  word(given: unknown, vocabulary: Vocabulary, at: string): void {
    if (given === undefined) return;
    const word = typeof given === 'string' ? wordOf(vocabulary, given) : '';
    if (!vocabulary.words.has(word) && (typeof given !== 'string' || !URI.test(given) || word !== given))
      this.add(at, 'unknown_word', `${JSON.stringify(given)} is no ${vocabulary.name} of the Core Business Vocabulary.`);
  }
}

export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : value === undefined ? [] : [value];
