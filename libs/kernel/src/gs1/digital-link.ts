import { gs1CheckDigitHolds } from '../values/check-digits.js';
import { encodeGs1, plainGs1 } from '../lots/lot-key.js';
import { type CompressedPair, decompressed } from './compressed-link.js';

/** GS1 character sets 82 and 39 (General Specifications, figures 7.11-1 and 7.11-2). */
const SET_82 = String.raw`[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]`;
const SET_39 = String.raw`[#\-/0-9A-Z]`;
const upTo = (most: number, set = SET_82): RegExp => new RegExp(`^${set}{1,${most}}$`);

interface PrimaryKey {
  readonly name: string;
  readonly value: RegExp;
  /** The part that ends in a check digit. */
  readonly checked?: (value: string) => string;
  /** Each list is in the order of the path; a link has qualifiers of one list. */
  readonly qualifiers: readonly (readonly string[])[];
}

const whole = (value: string): string => value;
const first =
  (length: number) =>
  (value: string): string =>
    value.slice(0, length);
const ITEM = [['22', '10', '21']] as const;

/** GS1 Digital Link: URI Syntax, §4.3 to §4.9: primary identification keys with their qualifiers. */
const KEYS: Readonly<Record<string, PrimaryKey>> = {
  '00': { name: 'SSCC', value: /^\d{18}$/, checked: whole, qualifiers: [] },
  '01': { name: 'GTIN', value: /^(\d{8}|\d{12,14})$/, checked: whole, qualifiers: [...ITEM, ['235']] },
  '253': { name: 'GDTI', value: new RegExp(`^\\d{13}${SET_82}{0,17}$`), checked: first(13), qualifiers: [] },
  '255': { name: 'GCN', value: /^\d{13,25}$/, checked: first(13), qualifiers: [] },
  '401': { name: 'GINC', value: upTo(30), qualifiers: [] },
  '402': { name: 'GSIN', value: /^\d{17}$/, checked: whole, qualifiers: [] },
  '414': { name: 'GLN', value: /^\d{13}$/, checked: whole, qualifiers: [['254', '7040']] },
  '415': { name: 'GLN', value: /^\d{13}$/, checked: whole, qualifiers: [['8020']] },
  '417': { name: 'party GLN', value: /^\d{13}$/, checked: whole, qualifiers: [['7040']] },
  '8003': { name: 'GRAI', value: new RegExp(`^0\\d{13}${SET_82}{0,16}$`), checked: first(14), qualifiers: [] },
  '8004': { name: 'GIAI', value: upTo(30), qualifiers: [['7040']] },
  '8006': { name: 'ITIP', value: /^\d{18}$/, checked: first(14), qualifiers: ITEM },
  '8010': { name: 'CPID', value: upTo(30, SET_39), qualifiers: [['8011']] },
  '8013': { name: 'GMN', value: upTo(25), qualifiers: [] },
  '8017': { name: 'GSRN', value: /^\d{18}$/, checked: whole, qualifiers: [['8019']] },
  '8018': { name: 'GSRN', value: /^\d{18}$/, checked: whole, qualifiers: [['8019']] },
  ...Object.fromEntries(
    ['410', '411', '412', '413'].map((key) => [key, { name: 'GLN', value: /^\d{13}$/, checked: whole, qualifiers: [] }]),
  ),
};

const QUALIFIERS: Readonly<Record<string, RegExp>> = {
  '10': upTo(20),
  '21': upTo(20),
  '22': upTo(20),
  '235': upTo(28),
  '254': upTo(20),
  '7040': new RegExp(`^\\d${SET_82}{3}$`),
  '8011': /^[1-9]\d{0,11}$/,
  '8019': /^\d{1,10}$/,
  '8020': upTo(25),
};

const FIRST_SEGMENT = new RegExp(`^/(${Object.keys(KEYS).join('|')})(/|$)`);
const ONE_SEGMENT = /^\/([A-Za-z0-9_-]{10,500})\/?$/;

/** Application identifier and plain value. */
type Element = readonly [identifier: string, value: string];

/** What a GS1 Digital Link names. */
export interface DigitalLink {
  /** Canonical, with the primary key and all qualifiers: `/01/09520123450014/10/A1`. */
  readonly path: string;
  /** Application identifier of the primary key. */
  readonly key: string;
  /** The lot number that it states, of an item too. */
  readonly lot: string | null;
  /**
   * Paths that name it, and what it is part of: the finest first, the primary key last. A serial number names an item by itself, so there is
   * no lot number or variant before it.
   */
  readonly levels: readonly string[];
  /** Whether it was written in compressed form. */
  readonly isCompressed: boolean;
  /** Pairs of the query that were compressed, encoded: `17=261231&x=y`; empty where there are none. */
  readonly query: string;
}

/** Why a path that begins like a Digital Link is none; a sentence. */
export class DigitalLinkFault {
  constructor(readonly message: string) {}
}

/** Whether a path, as it was requested, is for a resolver: one of its keys comes first, or it is a compressed link. */
export function isDigitalLinkPath(path: string): boolean {
  if (FIRST_SEGMENT.test(path)) return true;
  const segment = ONE_SEGMENT.exec(path)?.[1];
  return segment !== undefined && isCompressedLink(decompressed(segment));
}

const isCompressedLink = (pairs: readonly CompressedPair[] | null): boolean => pairs?.some(([name]) => Object.hasOwn(KEYS, name)) === true;

/**
 * The Digital Link in a path, whole or in part compressed, with or without a slash at its end.
 * @param path as it was requested, percent-encoded once, without the query
 * @returns null for a path that is not for a resolver (`isDigitalLinkPath`)
 */
export function readDigitalLink(path: string): DigitalLink | DigitalLinkFault | null {
  const [key = '', ...rest] = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (!Object.hasOwn(KEYS, key)) return rest.length === 0 && isDigitalLinkPath(path) ? readCompressed([], key) : null;
  if (rest.length === 0) return new DigitalLinkFault(`A Digital Link has the ${KEYS[key]!.name} after /${key}/.`);
  const elements: Element[] = [[key, plainGs1(rest[0]!)]];
  if (rest.length === 2) return readCompressed(elements, rest[1]!);
  if (rest.length % 2 === 0) return new DigitalLinkFault(`The Digital Link has no value after /${rest.at(-1)!}.`);
  for (let i = 1; i < rest.length; i += 2) elements.push([rest[i]!, plainGs1(rest[i + 1]!)]);
  return linkOf(elements, { isCompressed: false, query: '' });
}

function readCompressed(before: readonly Element[], segment: string): DigitalLink | DigitalLinkFault {
  const pairs = decompressed(segment);
  if (pairs === null) return new DigitalLinkFault(`/${segment} is neither a qualifier with its value nor compressed.`);
  const found = [...before, ...pairs];
  const primary = found.find(([name]) => Object.hasOwn(KEYS, name));
  const order = KEYS[primary?.[0] ?? '']?.qualifiers.flat() ?? [];
  const qualifiers = found.filter(([name]) => order.includes(name)).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const others = found.filter((pair) => pair !== primary && !qualifiers.includes(pair));
  const query = others.map(([name, value]) => `${encodeGs1(name)}=${encodeGs1(value)}`).join('&');
  return linkOf([primary ?? ['', ''], ...qualifiers], { isCompressed: true, query });
}

function linkOf(elements: readonly Element[], how: Pick<DigitalLink, 'isCompressed' | 'query'>): DigitalLink | DigitalLinkFault {
  const [[key, given], ...qualifiers] = elements as [Element, ...Element[]];
  const fault = faultOf(key, given, qualifiers);
  if (fault !== null) return new DigitalLinkFault(fault);
  const value = key === '01' ? given.padStart(14, '0') : given;
  const pathOf = (some: readonly Element[]): string =>
    [[key, value] as const, ...some].map(([identifier, text]) => `/${identifier}/${encodeGs1(text)}`).join('');
  return {
    ...how,
    key,
    path: pathOf(qualifiers),
    lot: qualifiers.find(([identifier]) => identifier === '10')?.[1] ?? null,
    levels: levelsOf(qualifiers).map(pathOf),
  };
}

/** Sets of qualifiers, the finest first (GS1-Conformant Resolver, "walking up the tree"). */
function levelsOf(qualifiers: readonly Element[]): Element[][] {
  const named = (...identifiers: string[]): Element[] => qualifiers.filter(([identifier]) => identifiers.includes(identifier));
  if (!named('22', '10', '21').length) return qualifiers.map((_, i) => qualifiers.slice(0, qualifiers.length - i)).concat([[]]);
  const sets = [named('21'), named('22', '10'), named('10'), named('22')].filter((set) => set.length > 0);
  return [...sets.filter((set, i) => i === 0 || set.length !== sets[i - 1]!.length || set[0] !== sets[i - 1]![0]), []];
}

function faultOf(key: string, value: string, qualifiers: readonly Element[]): string | null {
  const { name, value: form, checked, qualifiers: known } = KEYS[key]!;
  if (!form.test(value)) return `${shown(value)} is not the text of a ${name} (${key}).`;
  if (checked && !gs1CheckDigitHolds(checked(value))) return `The check digit of the ${name} ${shown(value)} is wrong.`;
  if (qualifiers.length > 0 && !known.some((order) => isInOrder(qualifiers, order)))
    return `The qualifiers of a ${name} are ${known.map((order) => order.join(', then ')).join(', or ') || 'none'}, each once.`;
  const wrong = qualifiers.find(([identifier, text]) => !QUALIFIERS[identifier]!.test(text));
  return wrong ? `${shown(wrong[1])} is not a value of (${wrong[0]}).` : null;
}

function isInOrder(qualifiers: readonly Element[], order: readonly string[]): boolean {
  let last = -1;
  return qualifiers.every(([identifier]) => {
    const at = order.indexOf(identifier);
    const follows = at > last;
    last = at;
    return follows;
  });
}

const shown = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
