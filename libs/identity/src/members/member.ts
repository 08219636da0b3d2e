import { ROLES, type Role } from '#kernel';
import { type Grants, type RoleScopes, checkGrants } from '../access/grants.js';

/** What a change of a member changes. */
export const grantsOf = ({
  roles,
  roleScopes,
  wallet,
  proposedWallet,
  orgId,
}: Pick<Member, 'roleScopes' | 'wallet' | 'proposedWallet' | 'orgId'> & { readonly roles: readonly Role[] }) => ({
  roles,
  roleScopes,
  wallet,
  proposedWallet,
  orgId,
});

/** The membership of a user in one tenant. */
export class Member {
  tenantId: string;
  userId: string;
  roles: Role[];
  roleScopes: RoleScopes;
  orgId: string | null;
  /** It can sign in as the member. */
  wallet: string | null;
  /** What an administrator proposed; the member confirms it with a signature of it. EIP-55. */
  proposedWallet: string | null;
  /** The name that this tenant's administrator gave; null for that of the user. */
  invitedName: string | null;
  /** When the person first signed in to this tenant by password. Until then the membership changes nothing of what they do elsewhere. */
  acceptedAt: Date | null;
  /** Since when the wallet is replaced because its keys are lost; it signs in for nobody meanwhile. */
  recoveringSince: Date | null;
  createdAt: Date;
  revokedAt: Date | null;

  /** A revoked member becomes a member again, with the given grants. @throws DomainError 422 */
  static grant(tenantId: string, userId: string, grants: Grants, at: Date): Member {
    checkGrants(grants);
    return Object.assign(new Member(), {
      tenantId,
      userId,
      roles: ROLES.filter((role) => grants.roles.includes(role)),
      roleScopes: grants.roleScopes ?? {},
      orgId: grants.orgId ?? null,
      wallet: grants.wallet ?? null,
      proposedWallet: null,
      invitedName: null,
      acceptedAt: null,
      recoveringSince: null,
      createdAt: at,
      revokedAt: null,
    });
  }
}
