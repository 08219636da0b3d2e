/** What LIKE would read as wild. */
const plain = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
const GS1 = 'https://id.gs1.org';

/** In front of the company prefix in the canonical link of each scheme; `0` to `9` where a digit comes before it. */
const BEFORE: Readonly<Record<string, { readonly path: string; readonly digit: boolean }>> = {
  sgtin: { path: '/01/', digit: true },
  lgtin: { path: '/01/', digit: true },
  upui: { path: '/01/', digit: true },
  sscc: { path: '/00/', digit: true },
  itip: { path: '/8006/', digit: true },
  sgln: { path: '/414/', digit: false },
  pgln: { path: '/417/', digit: false },
  grai: { path: '/8003/0', digit: false },
  giai: { path: '/8004/', digit: false },
  gdti: { path: '/253/', digit: false },
  sgcn: { path: '/255/', digit: false },
  gsrn: { path: '/8018/', digit: false },
  gsrnp: { path: '/8017/', digit: false },
  cpi: { path: '/8010/', digit: false },
  ginc: { path: '/401/', digit: false },
  gsin: { path: '/402/', digit: false },
};

/** Between a product and its serial or lot number in its link. */
const BEHIND: Readonly<Record<string, string>> = {
  sgtin: '/21/',
  lgtin: '/10/',
  upui: '/235/',
  itip: '/21/',
  cpi: '/8011/',
  sgln: '/254/',
};

/**
 * What a pattern of EPCs matches (`urn:epc:idpat:sgtin:0614141.107346.*`, EPC Tag Data Standard §8), as LIKE patterns of canonical links;
 * null for a name that is no pattern. @param canonical of a pattern whose last part alone is wild
 */
export function patternsOf(value: string, canonical?: string | null): readonly string[] | null {
  const [, scheme, body] = /^urn:epc:idpat:([a-z]+):(.+)$/.exec(value) ?? [];
  if (scheme === undefined || !Object.hasOwn(BEFORE, scheme)) return null;
  const [prefix, reference] = body!.split('.') as [string, string | undefined];
  const { path, digit } = BEFORE[scheme]!;
  if (prefix === '*') return [`${GS1}${path}%`];
  if (reference !== '*' && canonical != null) return [`${plain(canonical)}${plain(BEHIND[scheme] ?? '')}%`];
  const digits = digit ? Array.from('0123456789') : [''];
  return digits.map((first) => `${GS1}${path}${first}${plain(prefix)}%`);
}
