import { words } from '../state/format.js';

/** The commonest patterns in words. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^[A-Z]{2}$': 'Two letters, as in VN',
  '^[0-9a-f]{64}$': '64 hexadecimal digits',
  '^[+-](0\\d|1[0-4]):[0-5]\\d$': 'As +07:00',
  '^0x[0-9a-fA-F]{40}$': 'Address of a wallet, 0x…',
};

/** What the members of a class are, the widest first. */
const CLASSES: readonly (readonly [members: string, name: string])[] = [
  ['A-Za-z', 'letters'],
  ['A-Z', 'capital letters'],
  ['a-z', 'small letters'],
  ['0-9', 'digits'],
  ['\\d', 'digits'],
];

/** A pattern as people say it: `^RH-\d{8}-[A-Z0-9]{2,8}$` is "RH-, 8 digits, -, 2 to 8 capital letters or digits". Null for one that is less simple. */
export function patternInWords(pattern: string): string | null {
  const known = PATTERNS[pattern];
  if (known) return known;
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
    return [name];
  });
  const marks = rest.split('');
  if (marks.some((mark) => !/[-_./]/.test(mark)) || names.length + marks.length === 0) return null;
  return listed([...names, ...marks]);
}

const listed = (all: readonly string[]): string => (all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`);

const counted = (what: string, least = '1', most = least): string =>
  least === '1' && most === '1' ? `one of ${what}` : `${least === most ? least : `${least} to ${most}`} ${what}`;

/** What the service says of a value, without its notation. */
export function inWords(message: string): string {
  const [, pattern] = /^must match (.*)$/s.exec(message) ?? [];
  if (pattern === undefined) return message;
  const form = patternInWords(pattern);
  return form === null ? `is not written as expected (${pattern})` : `is not written as expected: ${form}`;
}

/** What a field is called when the process map has no name for it. */
export const labelOf = (key: string): string =>
  key === 'uom'
    ? 'Unit'
    : key === 'geo'
      ? 'Geographic position'
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
  [/Days$/, 'days'],
];

/** The unit of a number, from the name of its field. */
export const unitOf = (key: string): string | null => UNITS_OF_NAMES.find(([name]) => name.test(key))?.[1] ?? null;
