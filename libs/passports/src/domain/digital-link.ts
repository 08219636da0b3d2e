import { gtinMalformed } from './errors.js';

/** What AI (10) can hold: 20 characters of GS1 character set 82 (General Specifications §7.11). */
const LOT = /^[!%-?A-Z_a-z"]{1,20}$/;
const FORM = /^(\d{8}|\d{12,14})$/;

/** A GTIN as 14 digits, however many of them were written. @throws DomainError 400 `gtin_malformed` */
export function gtin14(text: string): string {
  if (!FORM.test(text) || !checkDigitHolds(text)) throw gtinMalformed();
  return text.padStart(14, '0');
}

/** GS1 General Specifications §7.9: mod 10, weights 3 and 1 from the right. */
export function checkDigitHolds(digits: string): boolean {
  let sum = 0;
  for (let i = digits.length - 2, weight = 3; i >= 0; i--, weight = 4 - weight) sum += Number(digits[i]) * weight;
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1));
}

/** The GTIN of a passport's link, where GTIN and code make one; null otherwise. */
export function linkedGtin(gtin: string | null, tlc: string): string | null {
  return gtin !== null && LOT.test(tlc) && FORM.test(gtin) && checkDigitHolds(gtin) ? gtin.padStart(14, '0') : null;
}

/** GS1 Digital Link (URI syntax 1.4, §3): what is not unreserved is percent-encoded, once. */
export const linkPath = (gtin: string, lot: string): string =>
  `/01/${gtin}/10/${encodeURIComponent(lot).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;

/** What leads to a passport: its Digital Link where it has one, else its own id. */
export const pathOf = ({ id, gtin, tlc }: { readonly id: string; readonly gtin: string | null; readonly tlc: string }): string =>
  gtin === null ? `/p/${id}` : linkPath(gtin, tlc);
