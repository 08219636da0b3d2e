import { type JsonWebKey, type KeyObject, createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IdentitySettings } from '../../settings.js';

export const ALGORITHM = 'ES256';
export const AUDIENCE = 'traceability-api';

/** The ES256 key pairs: the first signs, all verify. KeyObjects, because a string secret costs 400 µs a request. */
@Injectable()
export class SigningKeys {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** RFC 7517 set of the public keys. */
  readonly jwks: { readonly keys: readonly JsonWebKey[] };
  private readonly publicKeys: ReadonlyMap<string, KeyObject>;

  /** @throws Error for a key that is not on P-256 */
  constructor(settings: IdentitySettings) {
    const pairs = settings.signingKeys.map((pem) => pairOf(createPrivateKey(pem)));
    const [first] = pairs;
    if (!first) throw new Error('no signing key');
    this.kid = first.kid;
    this.privateKey = first.privateKey;
    this.publicKeys = new Map(pairs.map(({ kid, publicKey }) => [kid, publicKey]));
    this.jwks = { keys: pairs.map(({ kid, jwk }) => ({ ...jwk, kid, alg: ALGORITHM, use: 'sig' })) };
  }

  publicKey(kid: unknown): KeyObject | null {
    return (typeof kid === 'string' && this.publicKeys.get(kid)) || null;
  }
}

function pairOf(privateKey: KeyObject): { kid: string; privateKey: KeyObject; publicKey: KeyObject; jwk: JsonWebKey } {
  const publicKey = createPublicKey(privateKey);
  const jwk = publicKey.export({ format: 'jwk' });
  if (jwk.kty !== 'EC' || jwk.crv !== 'P-256') throw new Error('JWT_SIGNING_KEYS must be EC keys on P-256');
  // RFC 7638 thumbprint: the members in this order, so the same key has the same name everywhere.
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }))
    .digest('base64url');
  return { kid, privateKey, publicKey, jwk };
}
