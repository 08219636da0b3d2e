import { isCountryCode } from '#geography';
import { gs1CheckDigitHolds, isUnitCode } from '#kernel';

/** What a member of the metadata that names a place, a country or a unit gets wrong: a code and a sentence. */
export interface WrongName {
  /** The member, inside the object. */
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

const GLN_IN_LINK = /^https?:\/\/[^/]+\/(?:.+\/)?(?:414|417|gln|party)\/(\d{13})(?:[/?#]|$)/;
const GLN_IN_EPC = /^urn:epc:id:[sp]gln:(\d{6,12})\.(\d{0,6})(?:\.|$)/;
const COUNTRIES = ['country', 'countryOfProduction', 'countryOfOrigin'];

export function wrongNames(members: Readonly<Record<string, unknown>>): WrongName[] {
  const { id, gln, uom } = members;
  const found: WrongName[] = [];
  if (typeof id === 'string') found.push(...wrongPlace(id, typeof gln === 'string' ? gln : null));
  for (const name of COUNTRIES) {
    const country = members[name];
    if (typeof country === 'string' && /^[A-Z]{2}$/.test(country) && !isCountryCode(country))
      found.push({ name, code: 'unknown_country', message: `${country} is no country of ISO 3166-1` });
  }
  if (typeof uom === 'string' && /^[A-Z0-9]{2,3}$/.test(uom) && !isUnitCode(uom))
    found.push({ name: 'uom', code: 'unknown_unit', message: `${uom} is no unit of UNECE Recommendation 20 or 21` });
  return found;
}

/** The GLN in the id of a place, and whether it is the one in `gln`. */
function wrongPlace(id: string, gln: string | null): WrongName[] {
  const linked = GLN_IN_LINK.exec(id)?.[1];
  if (linked !== undefined && !gs1CheckDigitHolds(linked))
    return [{ name: 'id', code: 'wrong_check_digit', message: 'the check digit of the GLN is wrong' }];
  const [, prefix, reference] = GLN_IN_EPC.exec(id) ?? [];
  if (prefix !== undefined && (prefix + reference!).length !== 12)
    return [{ name: 'id', code: 'wrong_length', message: 'company prefix and location reference of a GLN have 12 digits together' }];
  const named = linked?.slice(0, 12) ?? (prefix === undefined ? null : prefix + reference!);
  if (gln === null || named === null || !/^\d{13}$/.test(gln) || gln.startsWith(named)) return [];
  return [{ name: 'id', code: 'other_gln', message: `names another place than gln, which is ${gln}` }];
}
