import { Injectable } from '@nestjs/common';
import { type Account, type Membership, fingerprint, identityPayload, tokenUse } from '../domain/identity-payload.js';
import type { Session } from '../domain/session.js';
import { AccessTokens, RefreshTokens } from '../ports.js';
import { IdentitySettings } from '../settings.js';

/** Specification §2.1. */
export interface LoginResult {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly partial: boolean;
  readonly stale: boolean;
}

/** The pair of tokens for a session as it stands: the same for login, select, switch and refresh (api-decisions §2). */
@Injectable()
export class IssueTokens {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly refreshTokens: RefreshTokens,
    private readonly settings: IdentitySettings,
  ) {}

  issue(session: Session, account: Account, active: Membership | null): LoginResult {
    const use = tokenUse(account, active);
    return {
      accessToken: this.accessTokens.issue({ ...identityPayload(account, active, this.settings.chainId), token_use: use, sid: session.id }),
      refreshToken: this.refreshTokens.of(session.id, session.counter),
      partial: use === 'partial',
      stale: session.loginFingerprint !== fingerprint(account.memberships),
    };
  }
}
