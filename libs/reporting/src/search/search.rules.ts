import { LotKey, gtin14, isSscc } from '#kernel';

/** What a text that somebody typed, pasted or scanned may mean; null where it cannot mean that. */
export interface Sought {
  /** What it was read as. */
  readonly kind: 'digital_link' | 'element_string' | 'sscc' | 'gtin' | 'text';
  /** Hash of the key of one lot. */
  readonly keyHash: string | null;
  /** 14 digits. */
  readonly gtin: string | null;
  /** Codes may begin in one of these ways: as it was typed, in capitals, in small letters. */
  readonly beginnings: readonly string[];
  /** The same for codes in capitals and small letters. */
  readonly folded: string | null;
  /** Part of a name, in small letters. */
  readonly part: string | null;
  /** EIP-55 or another spelling of an address, in small letters. */
  readonly address: string | null;
}

/** Names are searched by at least so many characters: one letter is in nearly all of them. */
const LEAST_PART = 2;
const ADDRESS = /^0x[0-9a-f]{40}$/;
/** FNC1, as scanners write it. */
const GROUP = '\u001d';

/** @param typed without control characters but FNC1 */
export function readSought(typed: string): Sought {
  const text = typed.trim();
  const link = /^https?:\/\//i.test(text) ? LotKey.read(text) : null;
  const elements = link === null ? readElements(text) : null;
  const key = link ?? elements;
  const digits = text.replaceAll(/[\s-]/g, '');
  const none = { keyHash: null, gtin: null, beginnings: [], folded: null, part: null, address: null };
  if (key)
    return {
      ...none,
      kind: link ? 'digital_link' : 'element_string',
      keyHash: key.hash,
      gtin: key.gtin,
      beginnings: beginningsOf(key.lot),
      folded: key.lot?.toLowerCase() ?? null,
    };
  if (isSscc(digits)) return { ...none, kind: 'sscc', keyHash: keyOfSscc(digits), beginnings: [digits] };
  const product = productOfLink(text) ?? gtin14(digits);
  const part = text.length >= LEAST_PART ? text.toLowerCase() : null;
  const address = ADDRESS.test(text.toLowerCase()) ? text.toLowerCase() : null;
  const folded = text.toLowerCase();
  return { kind: product ? 'gtin' : 'text', keyHash: null, gtin: product, beginnings: beginningsOf(text), folded, part, address };
}

const beginningsOf = (text: string | null): readonly string[] =>
  text === null || text === '' ? [] : [...new Set([text, text.toUpperCase(), text.toLowerCase()])];

const keyOfSscc = (sscc: string): string => LotKey.of({ tlc: sscc, isContainer: true }).hash;

/** A Digital Link of a product, without a lot. */
const productOfLink = (text: string): string | null => gtin14(/^https?:\/\/[^?#]*\/01\/(\d{8,14})\/?(?:[?#].*)?$/i.exec(text)?.[1] ?? '');

/** `(01)…(10)…` as people read it, or `01…10…` as a scanner writes it: GTIN with lot or serial number, or an SSCC. */
function readElements(text: string): LotKey | null {
  const elements = text.startsWith('(') ? bracketed(text) : scanned(text);
  const [sscc, gtin] = [elements.get('00'), elements.get('01')];
  if (sscc !== undefined) return isSscc(sscc) ? LotKey.of({ tlc: sscc, isContainer: true }) : null;
  const [lot, serial] = [elements.get('10'), elements.get('21')];
  if (gtin === undefined || gtin14(gtin) === null || (lot ?? serial) === undefined) return null;
  return LotKey.of({ tlc: (lot ?? serial)!, gtin, serial: serial ?? null });
}

const bracketed = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/\((\d{2,4})\)([^(]*)/g)].map(([, ai, value]) => [ai!, value!.trim()]));

/** Elements with a fixed length come without a separator. */
const FIXED: Readonly<Record<string, number>> = { '00': 18, '01': 14, '11': 6, '13': 6, '15': 6, '17': 6 };
const VARIABLE = /^(10|21|22)/;

function scanned(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let rest = text.replace(/^\](?:C1|d2|Q3|e0)/, '');
  if (!/^0[01]\d{14}/.test(rest)) return found;
  while (rest !== '') {
    const ai = rest.slice(0, 2);
    const length = FIXED[ai] ?? (VARIABLE.test(rest) ? (rest.indexOf(GROUP) < 0 ? rest.length : rest.indexOf(GROUP)) - 2 : 0);
    if (length <= 0) return found;
    found.set(ai, rest.slice(2, 2 + length));
    rest = rest.slice(2 + length).replace(new RegExp(`^${GROUP}`), '');
  }
  return found;
}
