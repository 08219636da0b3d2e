import { type Naming, partyLink } from '../epcis/identifiers.js';
import type { Dossier, Party } from './dossier.js';

/** What the documents of the UN Transparency Protocol have in common (docs/spec/domain.md#untp). */
export const UNTP_VERSION = '0.7.0';
const CONTEXT = ['https://www.w3.org/ns/credentials/v2', `https://vocabulary.uncefact.org/untp/${UNTP_VERSION}/context/`];

/** The credential without its subject. It is not signed here: the issuer signs. */
export const credentialOf = (type: string, name: string, { at, documentId, naming }: Dossier, issuer: Party) => ({
  type: [type, 'VerifiableCredential'],
  '@context': CONTEXT,
  id: `urn:uuid:${documentId}`,
  name,
  issuer: issuerOf(issuer, naming),
  validFrom: at.toISOString(),
});

/** Its own DID, else one below the address of the service (did:web). */
function didOf({ did, orgId }: Party, { base, tenant }: Naming): string {
  if (did?.startsWith('did:') === true) return did;
  const { host, pathname } = new URL(base);
  const folders = pathname.split('/').filter((part) => part !== '');
  return ['did:web', encodeURIComponent(host), ...folders, tenant, orgId].join(':');
}

function issuerOf(party: Party, naming: Naming) {
  const known = numbersOf(party);
  return {
    type: ['CredentialIssuer'],
    id: didOf(party, naming),
    name: party.name,
    ...(known.length > 0 && { issuerAlsoKnownAs: known }),
  };
}

const numbersOf = ({ gln, lei, name }: Party) => [
  ...(gln === null ? [] : [{ type: ['Party'], id: partyLink(gln), name, registeredId: gln }]),
  ...(lei === null ? [] : [{ type: ['Party'], id: `urn:lei:${lei}`, name, registeredId: lei }]),
];

export const partyOf = (party: Party, naming: Naming) => ({ type: ['Party'], id: didOf(party, naming), name: party.name });

const HS = 'https://vocabulary.uncefact.org/HS/';
export const classOf = (code: string, name: string, schemeId: string, schemeName: string) => ({
  type: ['Classification'],
  code,
  name,
  schemeId,
  schemeName,
});
export const tariffClass = (code: string, name: string) => classOf(code, name, HS, 'Harmonized System (HS)');

export const measureOf = (value: number, unit: string) => ({ type: ['Measure'], value, unit });

/** Null where the place or its name was not recorded. */
export const facilityOf = (id: string | null, name: string | null) =>
  id === null || name === null ? null : { type: ['Facility'], id, name };

export const countryOf = (countryCode: string) => ({ type: ['Country'], countryCode });

/** Of sha2-256: a multihash in base64url, as W3C Data Integrity writes digests. @param digest hexadecimal */
export const multibaseOf = (digest: string): string => `u${Buffer.from(`1220${digest.replace(/^0x/, '')}`, 'hex').toString('base64url')}`;
