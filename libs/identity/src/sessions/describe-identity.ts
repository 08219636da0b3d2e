import { Injectable } from '@nestjs/common';
import type { Language } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type Account, fingerprint } from '../accounts/account.js';
import { AccountsQueries, reachedBy } from '../accounts/accounts.queries.js';
import { invalidToken } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import { type IdentityPayload, type MembershipSummary, identityPayload, membershipSummary } from './identity-payload.js';
import type { Session } from './session.js';
import { SessionsQueries } from './sessions.queries.js';

/** Whose access token it is. */
interface Caller {
  readonly sessionId: string;
  readonly userId: string;
}

/** `me` and `memberships`: from the database, not from the token. */
@Injectable()
export class DescribeIdentity {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsQueries,
    private readonly sessions: SessionsQueries,
    private readonly settings: IdentitySettings,
  ) {}

  /** @param tenantId of the token, null for a partial one */
  async describe(
    caller: Caller,
    tenantId: string | null,
  ): Promise<IdentityPayload & { readonly stale: boolean; readonly proposedWallet: string | null; readonly language: Language | null }> {
    const { session, account } = await this.find(caller);
    const active = account.memberships.find((membership) => membership.tenantId === tenantId) ?? null;
    return {
      ...identityPayload(account, active, this.settings.chainId),
      proposedWallet: active?.proposedWallet ?? null,
      language: account.user.language,
      stale: session.loginFingerprint !== fingerprint(account.memberships),
    };
  }

  async memberships(caller: Caller): Promise<readonly MembershipSummary[]> {
    return (await this.find(caller)).account.memberships.map(membershipSummary);
  }

  private async find({ sessionId, userId }: Caller): Promise<{ readonly session: Session; readonly account: Account }> {
    const [session, user] = await this.unitOfWork.readAsSystem((tx) =>
      Promise.all([this.sessions.find(tx, sessionId), this.accounts.byId(tx, userId)]),
    );
    const account = session && session.userId === userId ? reachedBy(session, user) : null;
    if (!session || !account) throw invalidToken();
    return { session, account };
  }
}
