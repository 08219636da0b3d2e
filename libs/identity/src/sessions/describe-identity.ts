import { Injectable } from '@nestjs/common';
import { type SystemTx, UnitOfWork } from '#persistence';
import { type Account, fingerprint } from '../accounts/account.js';
import { AccountsQueries } from '../accounts/accounts.queries.js';
import { invalidToken } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import { type IdentityPayload, type MembershipSummary, identityPayload, membershipSummary } from './identity-payload.js';
import type { Session } from './session.js';
import { SessionsQueries } from './sessions.queries.js';

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
  describe(
    caller: { readonly sessionId: string },
    tenantId: string | null,
  ): Promise<IdentityPayload & { readonly stale: boolean; readonly proposedWallet: string | null }> {
    return this.unitOfWork.asSystem(async (tx) => {
      const { session, account } = await this.find(tx, caller.sessionId);
      const active = account.memberships.find((membership) => membership.tenantId === tenantId) ?? null;
      return {
        ...identityPayload(account, active, this.settings.chainId),
        proposedWallet: active?.proposedWallet ?? null,
        stale: session.loginFingerprint !== fingerprint(account.memberships),
      };
    });
  }

  memberships({ sessionId }: { readonly sessionId: string }): Promise<readonly MembershipSummary[]> {
    return this.unitOfWork.asSystem(async (tx) => (await this.find(tx, sessionId)).account.memberships.map(membershipSummary));
  }

  private async find(tx: SystemTx, sessionId: string): Promise<{ readonly session: Session; readonly account: Account }> {
    const session = await this.sessions.find(tx, sessionId);
    const account = session && (await this.accounts.ofSession(tx, session));
    if (!account) throw invalidToken();
    return { session, account };
  }
}
