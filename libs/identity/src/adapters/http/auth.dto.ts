import { ROLES, type Role } from '#kernel';
import { BooleanField, EnumField, JsonObjectField, ObjectListField, StringField, StringListField } from '#http';
import type { Credentials } from '../../application/log-in.js';
import type { LoginResult } from '../../application/issue-tokens.js';
import type { IdentityPayload, MembershipClaim } from '../../domain/identity-payload.js';
import type { RoleScopes } from '../../domain/member.js';
import { MAX_PASSWORD_BYTES } from '../../domain/user.js';

export class LoginRequest implements Credentials {
  @StringField({ description: 'E-mail address, any case', maxLength: 320, example: 'admin@rice.example' })
  email: string;

  @StringField({ description: 'Password', maxLength: MAX_PASSWORD_BYTES, format: 'password' })
  password: string;

  @StringField({ description: 'Slug or UUID of the tenant to log in to', optional: true, maxLength: 64 })
  tenantId?: string;
}

export class TenantChoice {
  @StringField({ description: 'Slug or UUID of a tenant of the user', maxLength: 64 })
  tenantId: string;
}

export class RefreshRequest {
  @StringField({ description: 'The newest refresh token of the session', maxLength: 200 })
  refreshToken: string;
}

export class LoginResultView implements LoginResult {
  @StringField({ description: 'Signed JWT v2, for `Authorization: Bearer`' })
  accessToken: string;

  @StringField({ description: 'For /api/v2/auth/refresh; each one is good once' })
  refreshToken: string;

  @BooleanField({ description: 'Whether the access token has no tenant: call select-tenant' })
  partial: boolean;

  @BooleanField({ description: 'Whether memberships, roles or scopes changed since the last full login' })
  stale: boolean;
}

export class MembershipView implements MembershipClaim {
  @StringField({ description: 'Name of the tenant in paths and tokens' })
  slug: string;

  @StringField({ description: 'Name of the tenant' })
  name: string;

  @StringField({ description: 'bytes32: keccak256 of the slug' })
  onChainTenantId: string;

  @StringField({ description: "EIP-55 address of the tenant's newest contract", nullable: true })
  tenantContractAddress: string | null;
}

export class OrgView {
  @StringField({ description: 'Organisation id' })
  id: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringField({ description: 'Decentralised identifier', nullable: true })
  did: string | null;

  @StringField({ description: 'Legal entity identifier, ISO 17442', nullable: true })
  lei: string | null;

  @StringField({ description: 'GS1 global location number', nullable: true })
  gln: string | null;

  @EnumField(ROLES, { description: 'Furthest role of the user', nullable: true })
  role: Role | null;
}

export class IdentityView implements IdentityPayload {
  @StringField({ description: 'User id' })
  sub: string;

  @StringField({ description: 'E-mail address' })
  email: string;

  @StringField({ description: 'EIP-55 address of the user in this tenant', nullable: true })
  wallet: string | null;

  @StringField({ description: 'did:pkh of the wallet', nullable: true })
  did: string | null;

  @StringField({ description: 'Slug of the tenant; null for a token without one', nullable: true })
  tid: string | null;

  @StringField({ description: 'UUID of the tenant', nullable: true })
  tenantUuid: string | null;

  @StringListField({ description: 'Roles in the tenant', enum: ROLES })
  roles: readonly Role[];

  @JsonObjectField({ description: 'Process keys or globs by role; a role that is absent here covers every process' })
  roleScopes: RoleScopes;

  @BooleanField({ description: 'Whether name, organisation and wallet are set' })
  profileComplete: boolean;

  @BooleanField({ description: 'Whether the user administers the platform' })
  isPlatformAdmin: boolean;

  @ObjectListField(() => MembershipView, { description: 'Tenants of the user' })
  memberships: readonly MembershipView[];

  @StringField({ description: 'Name to show' })
  username: string;

  @ObjectListField(() => OrgView, { description: 'Organisations of the user in the tenant' })
  orgs: readonly OrgView[];

  @StringField({ description: 'Organisation that the user acts for', nullable: true })
  orgId: string | null;

  @BooleanField({ description: 'As in the login result' })
  stale: boolean;
}
