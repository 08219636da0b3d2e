import type { Party } from './dossier.js';
import { partyLink } from './gs1.js';

/** What passports and traceability events of UNTP 0.6.0 share. Neither is signed here: the issuer signs. */

export const credentialContext = (kind: 'dpp' | 'dte'): readonly string[] => [
  'https://www.w3.org/ns/credentials/v2',
  `https://test.uncefact.org/vocabulary/untp/${kind}/0.6.0/`,
];

/** A party by its DID, else by its GLN or LEI, else by our own id. */
export const partyId = ({ did, gln, lei, orgId }: Party): string =>
  did ?? (gln === null ? null : partyLink(gln)) ?? (lei === null ? `urn:uuid:${orgId}` : `urn:lei:${lei}`);

export function issuerOf(party: Party) {
  const { did, gln, lei, name } = party;
  const known = [
    ...(gln === null ? [] : [{ id: partyLink(gln), name, registeredId: gln }]),
    ...(lei === null ? [] : [{ id: `urn:lei:${lei}`, name, registeredId: lei }]),
  ].filter(({ id }) => did !== null || id !== partyId(party));
  return { type: ['CredentialIssuer'], id: partyId(party), name, ...(known.length > 0 && { issuerAlsoKnownAs: known }) };
}
