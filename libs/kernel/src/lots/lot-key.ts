import { type Hex, keccakOf } from '../values/evm.js';
import { gs1CheckDigitHolds } from '../values/check-digits.js';
import type { Problem } from '../requests/problem.js';

/** What a lot bears, as an event, a label or a URI says it. */
export interface LotNames {
  /** The lot number; of an item without one its serial number. */
  readonly tlc: string;
  readonly gtin?: string | null;
  readonly serial?: string | null;
  /** A container whose code is an SSCC is named by that alone. */
  readonly isContainer?: boolean;
}

/** Where GS1 Digital Links lead that nobody else resolves. */
const GS1 = 'https://id.gs1.org';

const GTIN = /^(\d{8}|\d{12,14})$/;
/** AI (10) and AI (21): 1 to 20 characters of GS1 character set 82 (General Specifications §3.4.2, §3.5.2 and figure 7.11-1). */
const AI_VALUE = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,20}$/;

/** As 14 digits; null for what is not a GTIN with its check digit. */
export const gtin14 = (text: string): string | null => (GTIN.test(text) && gs1CheckDigitHolds(text) ? text.padStart(14, '0') : null);

export const isSscc = (text: string): boolean => /^\d{18}$/.test(text) && gs1CheckDigitHolds(text);
/** Whether AI (10) or AI (21) can hold it. */
export const isGs1Value = (text: string): boolean => AI_VALUE.test(text);

/** Percent-encoded as GS1 Digital Link asks (URI syntax 1.4, §3): once, everything that is not unreserved. */
export const encodeGs1 = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * The identity of a lot within its tenant (docs/spec/domain.md#identifiers): GTIN and serial number, GTIN and lot number, an SSCC, or a code
 * of the tenant's own. Its text is the canonical Digital Link, or the own code as it is; the hash on chain covers the text.
 */
export class LotKey {
  private constructor(
    readonly text: string,
    readonly kind: 'item' | 'lot' | 'sscc' | 'own',
    readonly gtin: string | null,
    readonly lot: string | null,
    readonly serial: string | null,
  ) {}

  static of({ tlc, gtin, serial, isContainer }: LotNames): LotKey {
    if (isContainer && isSscc(tlc)) return LotKey.sscc(tlc);
    const product = gtin ? gtin14(gtin) : null;
    if (product !== null && serial && isGs1Value(serial)) return LotKey.item(product, tlc === serial ? null : tlc, serial);
    if (product !== null && isGs1Value(tlc)) return new LotKey(`${GS1}/01/${product}/10/${encodeGs1(tlc)}`, 'lot', product, tlc, null);
    return new LotKey(tlc, 'own', product, tlc, null);
  }

  /** The key that a Digital Link spells, whatever its host; null for another text. A lot number next to a serial number belongs to the item. */
  static read(text: string): LotKey | null {
    const path = /^https?:\/\/[^/?#]+(?:\/[^?#]*?)?\/(0[01]\/[^?#]+)(?:[?#].*)?$/.exec(text)?.[1];
    const [ai, value = '', ...qualifiers] = path?.split('/') ?? [];
    if (ai === '00') return qualifiers.length === 0 && isSscc(value) ? LotKey.sscc(value) : null;
    const product = gtin14(value);
    const [lot, serial, rest] = qualifiersIn(qualifiers);
    if (product === null || rest || (lot === null && serial === null)) return null;
    if (serial !== null) return isGs1Value(serial) ? LotKey.item(product, lot, serial) : null;
    return isGs1Value(lot!) ? LotKey.of({ tlc: lot!, gtin: product }) : null;
  }

  private static sscc(code: string): LotKey {
    return new LotKey(`${GS1}/00/${code}`, 'sscc', null, null, null);
  }

  private static item(gtin: string, lot: string | null, serial: string): LotKey {
    return new LotKey(`${GS1}/01/${gtin}/21/${encodeGs1(serial)}`, 'item', gtin, lot, serial);
  }

  /** What the chain keeps of it. */
  get hash(): Hex {
    return keccakOf(this.text);
  }
}

/** What is wrong with a text that begins like a Digital Link of a lot; null for a sound one, and for another text. */
export function lotLinkFault(text: string): Pick<Problem, 'code' | 'message'> | null {
  const [, ai, value = '', rest] = /^https?:\/\/[^/?#]+(?:\/[^?#]*?)?\/(0[01])\/(\d+)(?:\/([^?#]+))?(?:[?#].*)?$/.exec(text) ?? [];
  if (ai === undefined) return null;
  const name = ai === '00' ? 'SSCC' : 'GTIN';
  if (ai === '00' ? !isSscc(value) : gtin14(value) === null)
    return { code: 'wrong_check_digit', message: `The check digit of the ${name} ${value} is wrong.` };
  if (ai === '00' && rest !== undefined)
    return {
      code: 'sscc_with_lot',
      message: `The SSCC ${value} names a container by itself: it has no ${rest.split('/')[0] === '21' ? 'serial' : 'lot'} number.`,
    };
  return LotKey.read(text) === null ? { code: 'no_lot_name', message: `${text} names no lot: a GTIN needs a lot or serial number.` } : null;
}

function qualifiersIn(parts: readonly string[]): readonly [lot: string | null, serial: string | null, more: boolean] {
  let [lot, serial, more]: [string | null, string | null, boolean] = [null, null, parts.length % 2 !== 0];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const value = plainGs1(parts[i + 1]!);
    if (parts[i] === '10' && lot === null && serial === null) lot = value;
    else if (parts[i] === '21' && serial === null) serial = value;
    else more = true;
  }
  return [lot, serial, more];
}

/** Percent-decoded once; unchanged where its escapes are invalid. */
export function plainGs1(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The Digital Link of a key's text; null for a code of the tenant's own, or a hash whose text is unknown. */
export const digitalLinkOf = (key: string): string | null => (key.startsWith(`${GS1}/0`) ? key : null);

/** The path of a Digital Link, for a resolver of one's own: `/01/…/10/…`. */
export const digitalLinkPath = (link: string): string => link.slice(GS1.length);
