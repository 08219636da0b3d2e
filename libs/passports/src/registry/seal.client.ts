import { createHash } from 'node:crypto';
import { FlattenedSign } from 'jose';
import { type SealMaterial, sealAlgorithm } from './seal-certificate.rules.js';

/** The object that is sealed is named by its URI, and is the payload (ETSI TS 119 182-1, clause 5.2.8). */
const OBJECT_BY_URI = 'http://uri.etsi.org/19182/ObjectIdByURI';

/**
 * A detached JAdES signature of level B-B (ETSI TS 119 182-1): JWS with an unencoded, detached payload (RFC 7797).
 * @param uri what names the payload
 * @returns compact, with an empty payload
 */
export async function sealOf(payload: string, uri: string, { key, chain }: SealMaterial, now: Date): Promise<string> {
  const x5c = chain.map(({ raw }) => raw.toString('base64'));
  const header = {
    alg: sealAlgorithm(key)!,
    b64: false,
    crit: ['b64', 'sigD'],
    cty: 'json',
    iat: Math.floor(now.getTime() / 1000),
    sigD: { mId: OBJECT_BY_URI, pars: [uri] },
    x5c,
    'x5t#S256': createHash('sha256').update(chain[0]!.raw).digest('base64url'),
  };
  const jws = await new FlattenedSign(Buffer.from(payload)).setProtectedHeader(header).sign(key, { crit: { sigD: true } });
  return `${jws.protected}..${jws.signature}`;
}
