import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { isUuid } from '#kernel';
import type { Principal } from '../../domain/access.js';
import { invalidToken, tokenExpired } from '../../domain/errors.js';
import type { TokenUse } from '../../domain/identity-payload.js';
import { Principals } from '../../ports.js';
import { IdentitySettings } from '../../settings.js';
import { ALGORITHM, AUDIENCE, SigningKeys } from './signing-keys.js';

export interface VerifiedBearer {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const NAME = 'bearer';
/** Clocks of two nodes differ by a little. */
const CLOCK_TOLERANCE_SECONDS = 5;
const USES: readonly unknown[] = ['full', 'partial', 'platform'] satisfies readonly TokenUse[];

/**
 * Access tokens by passport-jwt: algorithm, issuer, audience, times and key id are pinned, and `token_use` keeps kinds of
 * tokens apart. Each application has its own passport, because the shared one knows one strategy of a name.
 */
@Injectable()
export class BearerTokens extends PassportStrategy(Strategy, NAME) {
  private own?: passport.Authenticator;

  constructor(
    keys: SigningKeys,
    settings: IdentitySettings,
    private readonly principals: Principals,
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
      jsonWebTokenOptions: { clockTolerance: CLOCK_TOLERANCE_SECONDS },
    });
  }

  /** @throws DomainError 401 `token_expired` or `invalid_token`; EngineUnavailable */
  verify(request: FastifyRequest, bearer: string): Promise<VerifiedBearer> {
    return new Promise((resolve, reject) => {
      const done = (error: unknown, verified: VerifiedBearer | false | null, info: unknown): void => {
        if (error) reject(error);
        else if (verified) resolve(verified);
        else reject((info as Error | undefined)?.name === 'TokenExpiredError' ? tokenExpired() : invalidToken());
      };
      const authenticate = this.getPassportInstance().authenticate(NAME, { session: false }, done) as (
        request: unknown,
        response: unknown,
        next: (error: unknown) => void,
      ) => void;
      authenticate({ bearer, headers: request.headers }, {}, reject);
    });
  }

  /** After the signature: the claims that are ours, and who that is today. */
  async validate(claims: Record<string, unknown>): Promise<VerifiedBearer | null> {
    const { ver, token_use: use, sub, sid, tenantUuid, exp } = claims;
    if (ver !== 2 || !USES.includes(use) || !isUuid(sub) || !isUuid(sid) || typeof exp !== 'number') return null;
    if (use === 'full' ? !isUuid(tenantUuid) : tenantUuid !== null) return null;
    const principal = await this.principals.ofSession(sid, sub, tenantUuid as string | null, use as TokenUse);
    return principal && { principal, expiresAt: exp * 1000 };
  }

  /** Called by the superclass's constructor, before this class has fields. */
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
