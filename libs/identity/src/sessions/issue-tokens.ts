import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { type Account, type Membership, fingerprint } from '../accounts/account.js';
import { IdentitySettings } from '../identity.settings.js';
import { identityPayload, tokenUse } from './identity-payload.js';
import type { Presented, Session } from './session.js';
import { TokensClient } from './tokens.client.js';

/** docs/spec/service.md#login-result. */
export interface LoginResult {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly partial: boolean;
  readonly stale: boolean;
}

/** The tokens of a session: issued the same way by login, select, switch and refresh (docs/spec/api.md#identity). */
@Injectable()
export class IssueTokens {
  constructor(
    private readonly tokens: TokensClient,
    private readonly settings: IdentitySettings,
    private readonly clock: Clock,
  ) {}

  issue(session: Session, account: Account, active: Membership | null): LoginResult {
    const use = tokenUse(account, active);
    const payload = identityPayload(account, active, this.settings.chainId);
    return {
      accessToken: this.tokens.accessToken({ ...payload, token_use: use, sid: session.id }),
      refreshToken: this.tokens.refreshToken(session.id, session.counter),
      partial: use === 'partial',
      stale: session.loginFingerprint !== fingerprint(account.memberships),
    };
  }

  /** Null for a text that was not issued here. */
  readRefreshToken(token: string): { readonly sessionId: string; readonly counter: number } | null {
    return this.tokens.readRefreshToken(token);
  }

  /** Presents a refresh token to its session, and rotates it where the token is the newest. */
  present(session: Session, counter: number): Presented {
    const now = this.clock.now();
    const presented = session.present(counter, now, this.settings.sessions);
    if (presented === 'rotate') session.rotate(now);
    return presented;
  }
}
