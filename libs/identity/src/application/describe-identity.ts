import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { invalidToken } from '../domain/errors.js';
import { type IdentityPayload, type MembershipClaim, fingerprint, identityPayload, membershipClaim } from '../domain/identity-payload.js';
import { Session } from '../domain/session.js';
import { Accounts } from '../ports.js';
import { IdentitySettings } from '../settings.js';

/** `me` and `memberships`: from the rows as they stand, not from the token. */
@Injectable()
export class DescribeIdentity {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: Accounts,
    private readonly settings: IdentitySettings,
  ) {}

  /** @param tenantId of the token, null for a partial one */
  describe(caller: { readonly sessionId: string }, tenantId: string | null): Promise<IdentityPayload & { readonly stale: boolean }> {
    return this.unitOfWork.asSystem(async (tx) => {
      const session = await tx.repository(Session).findOneBy({ id: caller.sessionId });
      const account = session && (await this.accounts.ofSession(tx, session));
      if (!account || !session) throw invalidToken();
      const active = account.memberships.find((membership) => membership.tenantId === tenantId) ?? null;
      return {
        ...identityPayload(account, active, this.settings.chainId),
        stale: session.loginFingerprint !== fingerprint(account.memberships),
      };
    });
  }

  memberships({ sessionId }: { readonly sessionId: string }): Promise<readonly MembershipClaim[]> {
    return this.unitOfWork.asSystem(async (tx) => {
      const session = await tx.repository(Session).findOneBy({ id: sessionId });
      const account = session && (await this.accounts.ofSession(tx, session));
      if (!account) throw invalidToken();
      return account.memberships.map(membershipClaim);
    });
  }
}
