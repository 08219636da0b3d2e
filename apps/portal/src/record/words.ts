import { faultInWords } from '../parts/problem-words.js';
import { words } from '../state/format.js';
import { type Phrase, phrase, speaking, t, translated } from '../state/language.js';

/** The commonest patterns in words. */
const PATTERNS: Readonly<Record<string, Phrase>> = {
  '^[A-Z]{2}$': phrase('Two letters, as in VN'),
  '^[0-9a-f]{64}$': phrase('64 hexadecimal digits'),
  '^[+-](0\\d|1[0-4]):[0-5]\\d$': phrase('As +07:00'),
  '^0x[0-9a-fA-F]{40}$': phrase('Address of a wallet, 0x…'),
};

/** What the members of a class are, the widest first. */
const CLASSES: readonly (readonly [members: string, name: Phrase])[] = [
  ['A-Za-z', phrase('letters')],
  ['A-Z', phrase('capital letters')],
  ['a-z', phrase('small letters')],
  ['0-9', phrase('digits')],
  ['\\d', phrase('digits')],
];

/** A pattern as people say it: `^RH-\d{8}-[A-Z0-9]{2,8}$` is "RH-, 8 digits, -, 2 to 8 capital letters or digits". Null for one that is less simple. */
export function patternInWords(pattern: string): string | null {
  const known = PATTERNS[pattern];
  if (known) return t(known);
  const [, body = ''] = /^\^(.*)\$$/.exec(pattern) ?? [];
  const parts: string[] = [];
  for (let rest = body; rest !== '';) {
    const [all, literal, set, least, most] = /^(?:([\w\-./ ]+?)(?=[[\\]|$)|(\[[^\]]+\]|\\d)(?:\{(\d+)(?:,(\d+))?\})?)/.exec(rest) ?? [];
    const members = set === undefined ? null : membersOf(set.replace(/^\[|\]$/g, ''));
    if (all === undefined || (literal === undefined && members === null)) return null;
    parts.push(literal ?? counted(members!, least, most));
    rest = rest.slice(all.length);
  }
  return parts.length === 0 ? null : parts.join(', ');
}

function membersOf(set: string): string | null {
  let rest = set;
  const names = CLASSES.flatMap(([members, name]) => {
    if (!rest.includes(members)) return [];
    rest = rest.replace(members, '');
    return [t(name)];
  });
  const marks = rest.split('');
  if (marks.some((mark) => !/[-_./]/.test(mark)) || names.length + marks.length === 0) return null;
  return listed([...names, ...marks]);
}

const listed = (all: readonly string[]): string =>
  all.length < 2 ? all.join('') : t('{one} or {other}', { one: all.slice(0, -1).join(', '), other: all.at(-1)! });

const counted = (what: string, least = '1', most = least): string =>
  least === '1' && most === '1'
    ? t('one of {what}', { what })
    : least === most
      ? `${least} ${what}`
      : t('{least} to {most} {what}', { least, most, what });

/** What the service says of a value, without its notation. */
export function inWords(message: string): string {
  const [, pattern] = /^must match (.*)$/s.exec(message) ?? [];
  if (pattern === undefined) return faultInWords(message) ?? message;
  const form = patternInWords(pattern);
  return form === null ? t('is not written as expected ({pattern})', { pattern }) : t('is not written as expected: {form}', { form });
}

/** What a field is called when the process map has no name for it. */
export const labelOf = (key: string): string =>
  key === 'uom'
    ? t('Unit')
    : key === 'geo'
      ? t('Geographic position')
      : /^(gln|gtin|sscc|cid|url|id|pic)$/.test(key)
        ? key.toUpperCase()
        : words(key);

/** Units that the names of fields end in. */
const UNITS_OF_NAMES: readonly (readonly [RegExp, string])[] = [
  [/percent$/i, '%'],
  [/Ha$/, 'ha'],
  [/Kg$/, 'kg'],
  [/(Celsius|TemperatureC|TempC|C)$/, '°C'],
  [/Km$/, 'km'],
  [/Microns?$/i, 'µm'],
  [/Mm$/, 'mm'],
  [/Hours$/, 'h'],
  [/Days$/, phrase('days')],
];

/** The unit of a number, from the name of its field. */
export function unitOf(key: string): string | null {
  const unit = UNITS_OF_NAMES.find(([name]) => name.test(key))?.[1];
  return unit === undefined ? null : translated(unit);
}

/** A name within a sentence. German writes its nouns with a capital there too. */
export const inSentence = (name: string): string => (speaking.value.language === 'de' ? name : name.toLowerCase());
