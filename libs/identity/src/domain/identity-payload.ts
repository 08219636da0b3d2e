import { createHash } from 'node:crypto';
import { type Role, canonicalJson, walletDid } from '#kernel';
import { noMembership, notAMember } from './errors.js';
import type { RoleScopes } from './member.js';
import type { User } from './user.js';

/** One active membership of a user, with what tokens say of its tenant. */
export interface Membership {
  readonly tenantId: string;
  readonly slug: string;
  readonly name: string;
  readonly onChainTenantId: string;
  readonly tenantContractAddress: string | null;
  readonly roles: readonly Role[];
  readonly roleScopes: RoleScopes;
  readonly wallet: string | null;
  readonly org: {
    readonly id: string;
    readonly name: string;
    readonly did: string | null;
    readonly lei: string | null;
    readonly gln: string | null;
  } | null;
}

export type Account = { readonly user: User; readonly memberships: readonly Membership[] };

/** Specification §2.2. */
export interface MembershipClaim {
  readonly slug: string;
  readonly name: string;
  readonly onChainTenantId: string;
  readonly tenantContractAddress: string | null;
}

/** Specification §2.3; types of domain-decisions §10. Null or empty where the token has no tenant. */
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
  readonly memberships: readonly MembershipClaim[];
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

export type TokenUse = 'full' | 'partial' | 'platform';

export const membershipClaim = ({ slug, name, onChainTenantId, tenantContractAddress }: Membership): MembershipClaim => ({
  slug,
  name,
  onChainTenantId,
  tenantContractAddress,
});

/** @param active the membership that the token is for, or null */
export function identityPayload({ user, memberships }: Account, active: Membership | null, chainId: number): IdentityPayload {
  const { roles = [], roleScopes = {}, wallet = null, org = null } = active ?? {};
  return {
    sub: user.id,
    email: user.email,
    wallet,
    did: wallet && walletDid(chainId, wallet),
    tid: active?.slug ?? null,
    tenantUuid: active?.tenantId ?? null,
    roles,
    roleScopes,
    profileComplete: user.name !== '' && org !== null && wallet !== null,
    isPlatformAdmin: user.platformAdmin,
    memberships: memberships.map(membershipClaim),
    username: user.name === '' ? user.email : user.name,
    // Roles are listed from the least to the most far-reaching.
    orgs: org ? [{ ...org, role: roles.at(-1) ?? null }] : [],
    orgId: org?.id ?? null,
  };
}

/**
 * Which membership a login is for (api-decisions §2).
 * @param asked slug or UUID, as the request named it
 * @returns null where the token has no tenant: several memberships and none named, or a platform administrator without one
 */
export function chooseMembership({ user, memberships }: Account, asked: string | null): Membership | null {
  if (asked !== null) return membershipIn(memberships, asked);
  if (memberships.length === 0 && !user.platformAdmin) throw noMembership();
  return memberships.length === 1 ? memberships[0]! : null;
}

/** @throws DomainError 403 `not_a_member`, the same for a tenant that does not exist */
export function membershipIn(memberships: readonly Membership[], slugOrId: string): Membership {
  const found = memberships.find(({ slug, tenantId }) => slug === slugOrId || tenantId === slugOrId.toLowerCase());
  if (!found) throw notAMember();
  return found;
}

export const tokenUse = ({ memberships }: Account, active: Membership | null): TokenUse =>
  active ? 'full' : memberships.length === 0 ? 'platform' : 'partial';

/** Changes whenever memberships, roles or scopes do. */
export function fingerprint(memberships: readonly Membership[]): string {
  const facts = memberships
    .map(({ tenantId, roles, roleScopes }) => ({ tenantId, roles, roleScopes }))
    .toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  return createHash('sha256').update(canonicalJson(facts)).digest('base64url');
}
