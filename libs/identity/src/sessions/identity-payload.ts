import { type Role, walletDid } from '#kernel';
import type { RoleScopes } from '../access/grants.js';
import type { TokenUse } from '../access/principal.js';
import { type Account, acceptedOf, type Membership } from '../accounts/account.js';

/** docs/spec/service.md#membership. */
export interface MembershipSummary {
  readonly slug: string;
  readonly name: string;
  readonly onChainTenantId: string;
  readonly tenantContractAddress: string | null;
}

/** docs/spec/service.md#identity-payload; types of docs/spec/domain.md#open-points. Null or empty where the token has no tenant. */
export interface IdentityPayload {
  readonly sub: string;
  readonly email: string;
  readonly wallet: string | null;
  readonly did: string | null;
  readonly tid: string | null;
  readonly tenantUuid: string | null;
  readonly roles: readonly Role[];
  readonly roleScopes: RoleScopes;
  readonly profileComplete: boolean;
  readonly isPlatformAdmin: boolean;
  readonly memberships: readonly MembershipSummary[];
  readonly username: string;
  readonly orgs: readonly {
    readonly id: string;
    readonly name: string;
    readonly did: string | null;
    readonly lei: string | null;
    readonly gln: string | null;
    readonly role: Role | null;
  }[];
  readonly orgId: string | null;
}

export const membershipSummary = ({ slug, name, onChainTenantId, tenantContractAddress }: Membership): MembershipSummary => ({
  slug,
  name,
  onChainTenantId,
  tenantContractAddress,
});

/** @param active the membership that the token is for, or null */
export function identityPayload({ user, memberships }: Account, active: Membership | null, chainId: number): IdentityPayload {
  const { roles = [], roleScopes = {}, wallet = null, org = null } = active ?? {};
  const name = active?.invitedName || user.name;
  return {
    sub: user.id,
    email: user.email,
    wallet,
    did: wallet && walletDid(chainId, wallet),
    tid: active?.slug ?? null,
    tenantUuid: active?.tenantId ?? null,
    roles,
    roleScopes,
    profileComplete: name !== '' && org !== null && wallet !== null,
    isPlatformAdmin: user.platformAdmin,
    memberships: memberships.map(membershipSummary),
    username: name === '' ? user.email : name,
    // Roles are listed from the least to the most far-reaching.
    orgs: org ? [{ ...org, role: roles.at(-1) ?? null }] : [],
    orgId: org?.id ?? null,
  };
}

export const tokenUse = ({ user, memberships }: Account, active: Membership | null): TokenUse =>
  active ? 'full' : user.platformAdmin && acceptedOf(memberships).length === 0 ? 'platform' : 'partial';
