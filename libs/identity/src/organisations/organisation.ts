import { isPlace } from '#geography';
import { type Problem, invalidContent } from '#kernel';

export interface NewOrganisation {
  readonly name: string;
  /** `did:web:…`; without it the did:pkh of the wallet is used. */
  readonly did?: string | null;
  /** ISO 17442. */
  readonly lei?: string | null;
  /** GS1 global location number, 13 digits. */
  readonly gln?: string | null;
  /** What passports may show about it. */
  readonly publicProfile?: Readonly<Record<string, unknown>>;
}

/** A company of the tenant's value chain. */
export class Organisation {
  tenantId: string;
  id: string;
  name: string;
  did: string | null;
  lei: string | null;
  gln: string | null;
  publicProfile: Readonly<Record<string, unknown>>;
  createdAt: Date;

  /** @throws DomainError 422 with a pointer for each fault */
  static create(tenantId: string, input: NewOrganisation, id: string, at: Date): Organisation {
    const { name, did = null, lei = null, gln = null, publicProfile = {} } = input;
    const problems: Problem[] = [];
    if (name.trim() === '' || name.length > 200)
      problems.push({ pointer: '/name', code: 'wrong_length', message: 'A name has 1 to 200 characters.' });
    if (did !== null && !/^did:[a-z0-9]+:[\w.:%-]+$/.test(did))
      problems.push({ pointer: '/did', code: 'wrong_format', message: 'This is not a DID.' });
    if (lei !== null && !isLei(lei))
      problems.push({ pointer: '/lei', code: 'wrong_check_digits', message: 'An LEI has 20 characters; its last two check the others.' });
    if (gln !== null && !isGln(gln))
      problems.push({ pointer: '/gln', code: 'wrong_check_digit', message: 'A GLN has 13 digits; its last one checks the others.' });
    if (problems.length > 0) throw invalidContent(problems);
    return Object.assign(new Organisation(), { tenantId, id, name: name.trim(), did, lei, gln, publicProfile, createdAt: at });
  }
}

/** What a change of an organisation changes: its sites and wallets have requests of their own. */
export const profileOf = ({ id, name, did, lei, gln, publicProfile }: Organisation) => ({ id, name, did, lei, gln, publicProfile });

/** A site of an organisation, such as a mill or a warehouse. */
export class Site {
  tenantId: string;
  id: string;
  orgId: string;
  name: string;
  gln: string | null;
  /** GeoJSON point or the parts of a postal address, as the organisation gave them. */
  location: Readonly<Record<string, unknown>> | null;
  createdAt: Date;
}

export interface NewSite {
  readonly name: string;
  readonly gln?: string | null;
  readonly location?: Readonly<Record<string, unknown>> | null;
}

/** @throws DomainError 422 with a pointer for each fault */
export function createSite(
  base: Pick<Site, 'tenantId' | 'orgId' | 'id' | 'createdAt'>,
  { name, gln = null, location = null }: NewSite,
): Site {
  const problems: Problem[] = [];
  if (name.trim() === '' || name.length > 200)
    problems.push({ pointer: '/name', code: 'wrong_length', message: 'A name has 1 to 200 characters.' });
  if (gln !== null && !isGln(gln))
    problems.push({ pointer: '/gln', code: 'wrong_check_digit', message: 'A GLN has 13 digits; its last one checks the others.' });
  for (const { pointer, shape } of shapesIn(location))
    if (!isPlace(shape))
      problems.push({
        ...{ pointer, code: 'wrong_geometry' },
        message: 'A shape is a GeoJSON Point, Polygon or MultiPolygon: longitude before latitude, rings closed.',
      });
  if (problems.length > 0) throw invalidContent(problems);
  return Object.assign(new Site(), base, { name: name.trim(), gln, location });
}

/** The location may be a shape, or an address with one. */
function shapesIn(location: Site['location']): { readonly pointer: string; readonly shape: Readonly<Record<string, unknown>> }[] {
  const geo = location?.['geo'];
  return [
    ...(location && ('type' in location || 'coordinates' in location) ? [{ pointer: '/location', shape: location }] : []),
    ...(geo === undefined || geo === null ? [] : [{ pointer: '/location/geo', shape: Object(geo) as Readonly<Record<string, unknown>> }]),
  ];
}

/** GS1 General Specifications §7.9: weights 1 and 3 from the left, the sum divisible by ten. */
export const isGln = (gln: string): boolean =>
  /^\d{13}$/.test(gln) && Array.from(gln, Number).reduce((sum, digit, i) => sum + digit * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;

/** ISO 17442: letters as 10 to 35, the number modulo 97 is 1 (ISO 7064). */
export const isLei = (lei: string): boolean =>
  /^[A-Z0-9]{18}\d{2}$/.test(lei) && BigInt(Array.from(lei, (character) => Number.parseInt(character, 36)).join('')) % 97n === 1n;
