import {
  type JsonWebKey,
  type KeyObject,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Clock, newId } from '#kernel';
import type { TokenUse } from '../access/principal.js';
import { IdentitySettings } from '../identity.settings.js';
import type { IdentityPayload } from './identity-payload.js';

export const ALGORITHM = 'ES256';
export const AUDIENCE = 'traceability-api';

interface AccessClaims extends IdentityPayload {
  readonly token_use: TokenUse;
  readonly sid: string;
}

/** The ES256 key pairs: the first one signs, all verify. KeyObjects, because a key as a string costs 400 µs a request. */
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
  // RFC 7638 thumbprint: with the members in this order, the same key has the same id everywhere.
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }))
    .digest('base64url');
  return { kid, privateKey, publicKey, jwk };
}

const REFRESH_PREFIX = 'trr_';
const HEAD_BYTES = 20;

/** Signs access tokens (JWT v2) and refresh tokens. A refresh token is not stored: it is a MAC over its session and counter, so the current one can be issued again. */
@Injectable()
export class TokensClient {
  private readonly refreshKey: Buffer;

  constructor(
    private readonly jwt: JwtService,
    private readonly keys: SigningKeys,
    private readonly settings: IdentitySettings,
    private readonly clock: Clock,
  ) {
    this.refreshKey = Buffer.from(hkdfSync('sha256', settings.encryptionKey, '', 'refresh-token', 32));
  }

  accessToken(payload: AccessClaims): string {
    return this.jwt.sign(
      // `exp` and `nbf` count from `iat`.
      { ...payload, ver: 2, jti: newId(), iat: Math.floor(this.clock.now().getTime() / 1_000) },
      {
        privateKey: this.keys.privateKey,
        algorithm: ALGORITHM,
        keyid: this.keys.kid,
        issuer: this.settings.issuer,
        audience: AUDIENCE,
        expiresIn: this.settings.accessSeconds,
        notBefore: 0,
      },
    );
  }

  /** `trr_` + base64url(session id, counter, HMAC-SHA256 of both). */
  refreshToken(sessionId: string, counter: number): string {
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(sessionId.replaceAll('-', ''), 'hex');
    head.writeUInt32BE(counter, 16);
    return REFRESH_PREFIX + Buffer.concat([head, this.mac(head)]).toString('base64url');
  }

  /** Null for a text that was not issued here. */
  readRefreshToken(token: string): { readonly sessionId: string; readonly counter: number } | null {
    const bytes = token.startsWith(REFRESH_PREFIX) ? Buffer.from(token.slice(REFRESH_PREFIX.length), 'base64url') : Buffer.alloc(0);
    if (bytes.length !== HEAD_BYTES + 32) return null;
    const head = bytes.subarray(0, HEAD_BYTES);
    if (!timingSafeEqual(this.mac(head), bytes.subarray(HEAD_BYTES))) return null;
    const sessionId = head.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    return { sessionId, counter: head.readUInt32BE(16) };
  }

  private mac(head: Buffer): Buffer {
    return createHmac('sha256', this.refreshKey).update(head).digest();
  }
}
