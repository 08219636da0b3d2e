/** GS1 General Specifications §7.9: mod 10, weights 3 and 1 from the right. GTIN-8 to -14, GLN and SSCC alike. */
export function gs1CheckDigitHolds(digits: string): boolean {
  let sum = 0;
  for (let i = digits.length - 2, weight = 3; i >= 0; i--, weight = 4 - weight) sum += Number(digits[i]) * weight;
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1));
}

/** ISO 17442: letters count as 10 to 35, the whole number is 1 modulo 97. */
function leiCheckDigitsHold(lei: string): boolean {
  let rest = 0;
  for (const character of lei) for (const digit of Number.parseInt(character, 36).toString()) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

const KINDS: Readonly<Record<string, { readonly form: RegExp; readonly holds: (code: string) => boolean }>> = {
  gtin: { form: /^(\d{8}|\d{12,14})$/, holds: gs1CheckDigitHolds },
  gln: { form: /^\d{13}$/, holds: gs1CheckDigitHolds },
  sscc: { form: /^\d{18}$/, holds: gs1CheckDigitHolds },
  lei: { form: /^[A-Z0-9]{18}\d{2}$/, holds: leiCheckDigitsHold },
};

/** Name of the identifier whose check digit is wrong, or null; a value of another form is the schema's business. */
export function wrongIdentifier(key: string, value: unknown): string | null {
  const name = key.length <= 4 ? key.toLowerCase() : '';
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name]! : null;
  return kind && typeof value === 'string' && kind.form.test(value) && !kind.holds(value) ? key.toUpperCase() : null;
}
