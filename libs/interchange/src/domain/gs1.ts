/** GS1 keys in their two spellings: EPC URIs (`urn:epc:…`) and Digital Link URIs. */

const RESOLVER = 'https://id.gs1.org';

/** The check digit of a GTIN, GLN, SSCC or GSRN without it (modulo 10, weights 3 and 1 from the right). */
export function checkDigit(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 3 : 1);
  return (10 - (sum % 10)) % 10;
}

export const hasCheckDigit = (digits: string): boolean =>
  /^\d{8,18}$/.test(digits) && checkDigit(digits.slice(0, -1)) === Number(digits.at(-1));

const isSscc = (code: string): boolean => code.length === 18 && hasCheckDigit(code);

/** Percent-encoded as GS1 Digital Link asks: everything of character set 82 that means something in a path. */
export const encodeKey = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

export const lotLink = (gtin: string, lot: string): string => `${RESOLVER}/01/${gtin.padStart(14, '0')}/10/${encodeKey(lot)}`;
export const containerLink = (sscc: string): string => `${RESOLVER}/00/${sscc}`;
export const locationLink = (gln: string): string => `${RESOLVER}/414/${gln}`;
export const partyLink = (gln: string): string => `${RESOLVER}/417/${gln}`;
export const mayBeLotLink = (lot: string): boolean => lot.length <= 20;
export const mayBeContainerLink = isSscc;

type Key = (prefix: string, reference: string, serial: string) => string;

const checked = (digits: string): string => `${digits}${checkDigit(digits)}`;
const gtinOf = (prefix: string, item: string): string => checked(`${item.slice(0, 1)}${prefix}${item.slice(1)}`);
/** EPC URIs escape what they must; a Digital Link escapes some more. */
const plain = (text: string): string => encodeKey(unescaped(text));

/** By scheme, from company prefix, reference and serial (EPC Tag Data Standard 2.0, §6 and §7). */
const EPC_KEYS: Readonly<Record<string, Key>> = {
  'id:sgtin': (prefix, item, serial) => `/01/${gtinOf(prefix, item)}/21/${plain(serial)}`,
  'id:sscc': (prefix, serial) => `/00/${gtinOf(prefix, serial)}`,
  'id:sgln': (prefix, place, extension) =>
    `/414/${checked(prefix + place)}${extension === '' || extension === '0' ? '' : `/254/${plain(extension)}`}`,
  'id:pgln': (prefix, party) => `/417/${checked(prefix + party)}`,
  'id:grai': (prefix, type, serial) => `/8003/0${checked(prefix + type)}${plain(serial)}`,
  'id:giai': (prefix, reference, rest) => `/8004/${prefix}${plain(joined(reference, rest))}`,
  'id:gsrn': (prefix, reference) => `/8018/${checked(prefix + reference)}`,
  'id:gsrnp': (prefix, reference) => `/8017/${checked(prefix + reference)}`,
  'id:gdti': (prefix, type, serial) => `/253/${checked(prefix + type)}${plain(serial)}`,
  'id:cpi': (prefix, part, serial) => `/8010/${prefix}${plain(part)}/8011/${serial}`,
  'id:sgcn': (prefix, coupon, serial) => `/255/${checked(prefix + coupon)}${serial}`,
  'id:ginc': (prefix, reference, rest) => `/401/${prefix}${plain(joined(reference, rest))}`,
  'id:gsin': (prefix, reference) => `/402/${checked(prefix + reference)}`,
  'id:itip': (prefix, item, rest) => {
    const [piece, total, ...serial] = rest.split('.');
    return `/8006/${gtinOf(prefix, item)}${piece}${total}/21/${plain(serial.join('.'))}`;
  },
  'id:upui': (prefix, item, serial) => `/01/${gtinOf(prefix, item)}/235/${plain(serial)}`,
  'class:lgtin': (prefix, item, lot) => `/01/${gtinOf(prefix, item)}/10/${plain(lot)}`,
  'idpat:sgtin': (prefix, item) => `/01/${gtinOf(prefix, item)}`,
  'idpat:grai': (prefix, type) => `/8003/0${checked(prefix + type)}`,
  'idpat:gdti': (prefix, type) => `/253/${checked(prefix + type)}`,
  'idpat:sgcn': (prefix, coupon) => `/255/${checked(prefix + coupon)}`,
  'idpat:cpi': (prefix, part) => `/8010/${prefix}${plain(part)}`,
  'idpat:itip': (prefix, item, rest) => `/8006/${gtinOf(prefix, item)}${rest.split('.').slice(0, 2).join('')}`,
};

const joined = (reference: string, rest: string): string => (rest === '' ? reference : `${reference}.${rest}`);

/** Primary keys of Digital Link with what their values look like, and the qualifiers that say more, the finest first. */
const LINK_KEYS: Readonly<Record<string, { readonly value: RegExp; readonly finer: readonly string[] }>> = {
  '00': { value: /^\d{18}$/, finer: [] },
  '01': { value: /^(\d{8}|\d{12,14})$/, finer: ['235', '21', '10'] },
  '253': { value: /^\d{13}/, finer: [] },
  '255': { value: /^\d{13}/, finer: [] },
  '401': { value: /^\d{4}/, finer: [] },
  '402': { value: /^\d{17}$/, finer: [] },
  '414': { value: /^\d{13}$/, finer: ['254'] },
  '417': { value: /^\d{13}$/, finer: [] },
  '8003': { value: /^\d{14}/, finer: [] },
  '8004': { value: /^\d{4}/, finer: [] },
  '8006': { value: /^\d{18}$/, finer: ['21', '10'] },
  '8010': { value: /^\d{4}/, finer: ['8011'] },
  '8017': { value: /^\d{18}$/, finer: [] },
  '8018': { value: /^\d{18}$/, finer: [] },
};

export interface Gs1Key {
  /** Application identifier of the primary key, `01` for a GTIN. */
  readonly key: string;
  /** A GTIN has 14 digits. */
  readonly value: string;
  /** The finest qualifier that was named, `10` for a lot, and its plain text. */
  readonly finer: string | null;
  readonly part: string | null;
}

/** What a URI in either spelling names, at its finest level; null for a URI without a GS1 key. */
export function readKey(uri: string): Gs1Key | null {
  const path = uri.startsWith('urn:epc:') ? epcPath(uri) : /^https?:\/\/[^/?#]+(\/[^?#]*)/.exec(uri)?.[1];
  if (path === undefined || path === null) return null;
  const parts = path.split('/').slice(1);
  for (let at = parts.length - 2; at >= 0; at--) {
    const found = keyAt(parts, at);
    if (found) return found;
  }
  return null;
}

function keyAt(parts: readonly string[], at: number): Gs1Key | null {
  const [key, value, ...qualifiers] = parts.slice(at) as [string, string, ...string[]];
  const known = Object.hasOwn(LINK_KEYS, key) ? LINK_KEYS[key]! : null;
  if (!known || !known.value.test(value) || qualifiers.length % 2 !== 0) return null;
  const named = new Map<string, string>();
  for (let i = 0; i < qualifiers.length; i += 2) named.set(qualifiers[i]!, qualifiers[i + 1]!);
  if ([...named.keys()].some((name) => !/^\d{2,4}$/.test(name))) return null;
  const finer = known.finer.find((name) => named.has(name)) ?? null;
  return {
    key,
    value: key === '01' ? value.padStart(14, '0') : unescaped(value),
    finer,
    part: finer === null ? null : unescaped(named.get(finer)!),
  };
}

function epcPath(uri: string): string | null {
  const [, scheme, body] = /^urn:epc:((?:id|class|idpat):[a-z]+):(.+)$/.exec(uri) ?? [];
  if (scheme === undefined || !Object.hasOwn(EPC_KEYS, scheme)) return null;
  const [prefix, reference, ...rest] = body!.split('.');
  if (!/^\d{6,12}$/.test(prefix!) || reference === undefined) return null;
  return EPC_KEYS[scheme]!(prefix!, reference, rest.join('.'));
}

/** The canonical Digital Link of whatever GS1 key a URI names; null where it names none. */
export function canonicalLink(uri: string): string | null {
  const found = readKey(uri);
  if (!found) return null;
  const { key, value, finer, part } = found;
  return `${RESOLVER}/${key}/${encodeKey(value)}${finer === null ? '' : `/${finer}/${encodeKey(part!)}`}`;
}

/** Percent-decoded once; as it stands where its escapes are none. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
