import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { Clock, isUuid } from '#kernel';
import type { TokenUse } from '../access/principal.js';
import { invalidToken, tokenExpired } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import { ALGORITHM, AUDIENCE, SigningKeys } from '../sessions/tokens.client.js';

/** The checked claims of an access token. */
interface TokenClaims {
  readonly userId: string;
  readonly sessionId: string;
  /** Null for a token without a tenant. */
  readonly tenantId: string | null;
  readonly use: TokenUse;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const NAME = 'bearer';
/** The clocks of two nodes differ a little. */
const CLOCK_TOLERANCE_SECONDS = 5;
const USES: readonly unknown[] = ['full', 'partial', 'platform'] satisfies readonly TokenUse[];

/**
 * Verifies access tokens with passport-jwt: algorithm, issuer, audience, times and key id are pinned, and `token_use` distinguishes
 * kinds of tokens. Each application has its own passport, because the shared instance knows one strategy per name.
 */
@Injectable()
export class BearerClient extends PassportStrategy(Strategy, NAME) {
  private own?: passport.Authenticator;

  constructor(
    keys: SigningKeys,
    settings: IdentitySettings,
    private readonly clock: Clock,
  ) {
    super({
      jwtFromRequest: (request: { readonly bearer?: string }) => request.bearer ?? null,
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: unknown, key?: never) => void) => {
        const key = keys.publicKey(keyIdOf(token));
        if (key) done(null, key as never);
        else done(new Error('unknown key'));
      },
      algorithms: [ALGORITHM],
      issuer: settings.issuer,
      audience: AUDIENCE,
      // Both are checked below: jsonwebtoken compares them with the clock of the machine.
      ignoreExpiration: true,
      jsonWebTokenOptions: { ignoreNotBefore: true },
    });
  }

  /** @throws DomainError 401 `token_expired` or `invalid_token` */
  verify(bearer: string): Promise<TokenClaims> {
    return new Promise((resolve, reject) => {
      const done = (error: unknown, payload: TokenClaims | false | null): void => {
        if (error) reject(error);
        else if (payload) resolve(payload);
        else reject(invalidToken());
      };
      const authenticate = this.getPassportInstance().authenticate(NAME, { session: false }, done) as (
        request: unknown,
        response: unknown,
        next: (error: unknown) => void,
      ) => void;
      authenticate({ bearer, headers: {} }, {}, reject);
    });
  }

  /**
   * Called by passport after the signature was verified. Null for claims that this service does not issue.
   * @throws DomainError 401 `token_expired`
   */
  validate({ ver, token_use: use, sub, sid, tenantUuid, exp, nbf }: Record<string, unknown>): TokenClaims | null {
    const now = this.clock.now().getTime() / 1_000;
    if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + CLOCK_TOLERANCE_SECONDS)) return null;
    if (typeof exp === 'number' && exp <= now - CLOCK_TOLERANCE_SECONDS) throw tokenExpired();
    if (ver !== 2 || !USES.includes(use) || !isUuid(sub) || !isUuid(sid) || typeof exp !== 'number') return null;
    if (use === 'full' ? !isUuid(tenantUuid) : tenantUuid !== null) return null;
    return { userId: sub, sessionId: sid, tenantId: tenantUuid as string | null, use: use as TokenUse, expiresAt: exp * 1000 };
  }

  /** Called by the constructor of the superclass, before this class has fields. */
  getPassportInstance(): passport.Authenticator {
    this.own ??= new passport.Authenticator();
    return this.own;
  }
}

function keyIdOf(token: string): unknown {
  try {
    return (JSON.parse(Buffer.from(token.split('.', 1)[0]!, 'base64url').toString('utf8')) as { kid?: unknown } | null)?.kid;
  } catch {
    return undefined;
  }
}
