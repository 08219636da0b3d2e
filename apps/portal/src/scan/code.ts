/** What a scanned or pasted text names. Without any identifier of GS1 it is a code of the company's own. */
export interface ScannedCode {
  readonly text: string;
  readonly sscc?: string;
  readonly gtin?: string;
  readonly lot?: string;
  readonly serial?: string;
}

/** End of a value without a fixed length (FNC1 as scanners write it). */
const END = '\u001D';
/** Digits behind an application identifier with a fixed length, by its first two digits (GS1 General Specifications, figure 7.8.5-2). */
const FIXED: Readonly<Record<string, number>> = {
  '00': 18,
  '01': 14,
  '02': 14,
  '03': 14,
  '04': 16,
  '11': 6,
  '12': 6,
  '13': 6,
  '14': 6,
  '15': 6,
  '16': 6,
  '17': 6,
  '18': 6,
  '19': 6,
  '20': 2,
  '31': 8,
  '32': 8,
  '33': 8,
  '34': 8,
  '35': 8,
  '36': 8,
  '41': 14,
};
/** Of identifiers without a fixed length, those with two digits; most others have three, from 39 on four. */
const TWO = new Set(['10', '21', '22', '30', '37', '90', '91', '92', '93', '94', '95', '96', '97', '98', '99']);
const NAMES: Readonly<Record<string, 'sscc' | 'gtin' | 'lot' | 'serial'>> = {
  '00': 'sscc',
  '01': 'gtin',
  '02': 'gtin',
  '10': 'lot',
  '21': 'serial',
};

type Elements = readonly (readonly [identifier: string, value: string])[];

/** A Digital Link of any host, an element string as a scanner or a label has it, a bare SSCC or GTIN, or any other code. */
export function readCode(typed: string): ScannedCode {
  const text = typed.trim();
  const elements = inLink(text) ?? inBrackets(text) ?? inElementString(text) ?? bare(text);
  const named = elements.flatMap(([identifier, value]) => {
    const name = NAMES[identifier];
    return name ? [[name, name === 'gtin' ? value.padStart(14, '0') : value] as const] : [];
  });
  return { text, ...Object.fromEntries(named) };
}

function inLink(text: string): Elements | null {
  const [, path] = /^https?:\/\/[^/?#]+(\/[^?#]*)/i.exec(text) ?? [];
  const parts = path?.split('/').filter(Boolean) ?? [];
  const first = parts.findIndex((part, index) => /^0[01]$/.test(part) && /^\d{8,18}$/.test(parts[index + 1] ?? ''));
  if (first < 0) return null;
  const elements: [string, string][] = [];
  for (let i = first; i + 1 < parts.length; i += 2) elements.push([parts[i]!, plain(parts[i + 1]!)]);
  return elements;
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `(01)09520123450014(10)A1`, as printed below a code. */
function inBrackets(text: string): Elements | null {
  if (!/^\(\d{2,4}\)/.test(text)) return null;
  return [...text.matchAll(/\((\d{2,4})\)(.*?)(?=\(\d{2,4}\)|$)/g)].map(([, identifier, value]) => [identifier!, value!.trim()]);
}

/** As a scanner sends it, with the name of the symbology before it or not. Null for what only looks like one. */
function inElementString(text: string): Elements | null {
  let rest = text.replace(/^\](C1|d2|Q3|e0|J1)/, '').replace(new RegExp(`^${END}`), '');
  const isMarked = rest !== text || rest.includes(END);
  if (!isMarked && !/^(00\d{18}|01\d{14}[12])/.test(rest)) return null;
  const elements: [string, string][] = [];
  while (rest !== '') {
    const start = rest.slice(0, 2);
    const fixed = FIXED[start];
    const width =
      fixed !== undefined ? (/^3[1-6]/.test(start) ? 4 : start === '41' ? 3 : 2) : TWO.has(start) ? 2 : /^(39|4[3]|7|8)/.test(rest) ? 4 : 3;
    const end = rest.indexOf(END, width);
    const until = fixed !== undefined ? 2 + fixed : end < 0 ? rest.length : end;
    if (rest.length < until || until <= width) return null;
    elements.push([rest.slice(0, width), rest.slice(width, until)]);
    rest = rest.slice(until).replace(new RegExp(`^${END}`), '');
  }
  return elements;
}

/** The digits below a bar code, with their check digit. */
function bare(text: string): Elements {
  if (/^\d{18}$/.test(text) && checkDigitHolds(text)) return [['00', text]];
  if (/^(\d{8}|\d{12,14})$/.test(text) && checkDigitHolds(text)) return [['01', text]];
  return [];
}

/** From the right, every second digit counts three times. */
export function checkDigitHolds(digits: string): boolean {
  const sum = digits
    .split('')
    .toReversed()
    .reduce((all, digit, index) => all + Number(digit) * (index % 2 === 1 ? 3 : 1), 0);
  return sum % 10 === 0;
}

/** Filters of the list of lots for what was scanned. */
export function filtersOf({ text, sscc, gtin, lot, serial }: ScannedCode): Readonly<Record<string, string>> {
  if (sscc) return { tlc: sscc };
  if (gtin && serial) return { gtin, serial };
  if (gtin) return { gtin, ...(lot && { tlc: lot }) };
  return text === '' ? {} : { tlc: text };
}
