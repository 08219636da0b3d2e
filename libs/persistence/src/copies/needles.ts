import { type Json, spellingPattern, wordsPattern } from '#kernel';

/** A shorter text is in too many others to be looked for. */
const LEAST = 3;
/** Words of GeoJSON (RFC 7946): every plot says them, and none is of a person. */
const FIXED_WORDS: ReadonlySet<string> = new Set([
  ...['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon', 'GeometryCollection', 'Feature'],
  'FeatureCollection',
]);

/** What a value looks like where it is repeated, for JavaScript and for PostgreSQL. */
export interface Needles {
  readonly within: RegExp;
  readonly patterns: readonly string[];
}

/**
 * Texts and lists of numbers can be recognised in another place; a number, a boolean and a short text cannot. Null where none can.
 * @param subjects names, numbers and addresses of persons, which may be written in another way
 */
export function needlesOf(values: readonly Json[], subjects: readonly string[] = []): Needles | null {
  // Many events say the same of a person.
  const words = values.filter((value) => typeof value !== 'string' || !FIXED_WORDS.has(value.trim()));
  const different = new Map([...words, ...subjects].map((value) => [JSON.stringify(value), value]));
  const forms = [...different.values()].flatMap(formsOf);
  forms.push(...subjects.flatMap((subject) => composed(subject.trim()).map(spellingPattern)));
  if (forms.length === 0) return null;
  const found = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
  return {
    within: new RegExp(`(?<![\\p{L}\\p{N}])(?:${found.join('|')})(?![\\p{L}\\p{N}])`, 'giu'),
    patterns: found.map((word) => `(^|[^[:alnum:]])${word}($|[^[:alnum:]])`),
  };
}

function formsOf(value: Json): string[] {
  if (typeof value === 'string') {
    const text = value.trim();
    if (text.length < LEAST) return [];
    // As it is, and as JSON writes it.
    return composed(text).flatMap((form) => [wordsPattern(form), wordsPattern(JSON.stringify(form).slice(1, -1))]);
  }
  return Array.isArray(value) && value.length > 0 ? [wordsPattern(JSON.stringify(value)).replaceAll(',', ',\\s*')] : [];
}

/** Letters with marks as one character or as several: both look the same. */
const composed = (text: string): string[] => [text.normalize('NFC'), text.normalize('NFD')];

/** In text that a person wrote. */
export const ERASED_TEXT = '[erased]';

/**
 * The value without the needles: a text or a list that is one is null, a longer text says `[erased]` in its place.
 * @param keyed the names of members are searched too
 */
export function blanked(value: unknown, { within }: Needles, keyed = false): unknown {
  if (typeof value === 'string') return blankedText(value, within);
  if (Array.isArray(value)) {
    if (value.length > 0 && isOne(JSON.stringify(value), within)) return null;
    return value.map((item: unknown) => blanked(item, { within, patterns: [] }, keyed));
  }
  if (typeof value !== 'object' || value === null) return value;
  const named = (name: string): string => (keyed ? name.replaceAll(within, ERASED_TEXT) : name);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [named(name), blanked(member, { within, patterns: [] }, keyed)]));
}

function blankedText(text: string, within: RegExp): string | null {
  if (isOne(text, within)) return null;
  return text.replaceAll(within, ERASED_TEXT);
}

/** Whether nothing else is in the text. */
const isOne = (text: string, within: RegExp): boolean => text.trim() !== '' && text.replaceAll(within, '').trim() === '';
