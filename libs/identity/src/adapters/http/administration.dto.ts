import { EnumField, IntegerField, JsonObjectField, ObjectField, PageQuery, StringField, StringListField } from '#http';
import { ROLES, type Role } from '#kernel';
import type { FirstAdmin } from '../../application/open-tenant.js';
import type { NewMember } from '../../application/invite-member.js';
import { AUDIT_ACTIONS } from '../../domain/audit.js';
import type { RoleScopes } from '../../domain/member.js';
import type { NewOrganisation, NewSite } from '../../domain/organisation.js';
import { ENVIRONMENTS, type Environment, type NewTenant } from '../../domain/tenant.js';
import { MAX_PASSWORD_BYTES } from '../../domain/user.js';

const SCOPES = 'Process keys or globs by role (`{"OPERATOR": ["wool_*"]}`); a role that is absent covers every process, `[]` none';
const WALLET = 'EIP-55 address';

export class ApiKeyBody {
  @StringField({ description: 'What it is for', minLength: 1, maxLength: 200 })
  name: string;

  @StringListField({ description: 'Roles of the key', enum: ROLES, minItems: 1, maxItems: ROLES.length })
  roles: Role[];

  @JsonObjectField({ description: `${SCOPES}. Never beyond your own`, optional: true })
  roleScopes?: RoleScopes;

  @StringField({ description: `${WALLET} that the key prepares for`, optional: true, nullable: true, maxLength: 42 })
  wallet?: string | null;

  @StringField({ description: 'Organisation that the key acts for', optional: true, nullable: true, maxLength: 36 })
  orgId?: string | null;

  @StringField({ description: 'ISO 8601; absent = until it is revoked', optional: true, nullable: true, maxLength: 40 })
  expiresAt?: string | null;
}

export class RotateBody {
  @IntegerField({
    description: 'Seconds that the old secret stays good; 0 for a compromise',
    min: 0,
    max: 2_592_000,
    optional: true,
    default: 0,
  })
  overlapSeconds: number = 0;
}

const SEARCH = { optional: true, minLength: 1, maxLength: 200 } as const;

export class OrganisationQuery extends PageQuery {
  @StringField({ ...SEARCH, description: 'Part of the name, in any case' })
  search?: string;
}

export class MemberQuery extends PageQuery {
  @StringField({ ...SEARCH, description: 'Part of the e-mail address or the name, in any case' })
  search?: string;

  @EnumField(['active', 'removed', 'all'], { description: 'Which members', optional: true, default: 'active' })
  status: 'active' | 'removed' | 'all' = 'active';
}

export class MemberBody implements NewMember {
  @StringField({ description: 'E-mail of a user, or of somebody new', maxLength: 320 })
  email: string;

  @StringField({ description: 'Name of a new user', optional: true, maxLength: 200 })
  name?: string;

  @StringField({
    description: 'Password of a new user; absent, they get a one-time link',
    optional: true,
    maxLength: MAX_PASSWORD_BYTES,
    format: 'password',
  })
  password?: string;

  @StringListField({ description: 'Roles in the tenant', enum: ROLES, maxItems: ROLES.length })
  roles: Role[];

  @JsonObjectField({ description: SCOPES, optional: true })
  roleScopes?: RoleScopes;

  @StringField({ description: WALLET, optional: true, nullable: true, maxLength: 42 })
  wallet?: string | null;

  @StringField({ description: 'Organisation that they act for', optional: true, nullable: true, maxLength: 36 })
  orgId?: string | null;
}

export class MemberChange {
  @StringListField({ description: 'Roles in the tenant', enum: ROLES, maxItems: ROLES.length, optional: true })
  roles?: Role[];

  @JsonObjectField({ description: SCOPES, optional: true })
  roleScopes?: RoleScopes;

  @StringField({ description: `${WALLET}; null for none`, optional: true, nullable: true, maxLength: 42 })
  wallet?: string | null;

  @StringField({ description: 'Organisation; null for none', optional: true, nullable: true, maxLength: 36 })
  orgId?: string | null;
}

export class SenderBody {
  @StringField({ description: `${WALLET} of yours that is to sign; default your wallet`, optional: true, maxLength: 42 })
  from?: string;
}

export class ReplacementBody extends SenderBody {
  @StringField({ description: `${WALLET} that takes over`, maxLength: 42 })
  wallet: string;
}

export class InvitationBody {
  @StringField({ description: 'Token of the one-time link', maxLength: 200 })
  token: string;

  @StringField({ description: 'Password from now on', maxLength: MAX_PASSWORD_BYTES, format: 'password' })
  password: string;
}

export class OrganisationBody implements NewOrganisation {
  @StringField({ description: 'Name, one of its kind in the tenant', minLength: 1, maxLength: 200 })
  name: string;

  @StringField({ description: '`did:web:…`', optional: true, nullable: true, maxLength: 300 })
  did?: string | null;

  @StringField({ description: 'ISO 17442, with its check digits', optional: true, nullable: true, maxLength: 20 })
  lei?: string | null;

  @StringField({ description: 'GS1 global location number, with its check digit', optional: true, nullable: true, maxLength: 13 })
  gln?: string | null;

  @JsonObjectField({ description: 'What passports may show', optional: true })
  publicProfile?: Readonly<Record<string, unknown>>;
}

export class OrganisationChange implements Partial<NewOrganisation> {
  @StringField({ description: 'Name', minLength: 1, maxLength: 200, optional: true })
  name?: string;

  @StringField({ description: '`did:web:…`; null for none', optional: true, nullable: true, maxLength: 300 })
  did?: string | null;

  @StringField({ description: 'ISO 17442; null for none', optional: true, nullable: true, maxLength: 20 })
  lei?: string | null;

  @StringField({ description: 'GS1 global location number; null for none', optional: true, nullable: true, maxLength: 13 })
  gln?: string | null;

  @JsonObjectField({ description: 'What passports may show; replaced whole', optional: true })
  publicProfile?: Readonly<Record<string, unknown>>;
}

export class SiteBody implements NewSite {
  @StringField({ description: 'Name', minLength: 1, maxLength: 200 })
  name: string;

  @StringField({ description: 'GS1 global location number', optional: true, nullable: true, maxLength: 13 })
  gln?: string | null;

  @JsonObjectField({ description: 'GeoJSON point (longitude, latitude) or parts of an address', optional: true })
  location?: Readonly<Record<string, unknown>> | null;
}

export class OrgWalletBody {
  @StringField({ description: WALLET, maxLength: 42 })
  address: string;

  @StringField({ description: 'Site that it stands for', optional: true, nullable: true, maxLength: 36 })
  siteId?: string | null;

  @StringField({ description: 'Name in the address book', optional: true, nullable: true, maxLength: 200 })
  label?: string | null;
}

export class FirstAdminBody implements FirstAdmin {
  @StringField({ description: 'E-mail of the first TENANT_ADMIN', maxLength: 320 })
  email: string;

  @StringField({ description: 'Name of a new user', optional: true, maxLength: 200 })
  name?: string;

  @StringField({
    description: 'Password of a new user; absent, they get a one-time link',
    optional: true,
    maxLength: MAX_PASSWORD_BYTES,
    format: 'password',
  })
  password?: string;

  @StringField({ description: `${WALLET}; ADMIN of the tenant's contract`, maxLength: 42 })
  wallet: string;
}

export class TenantBody implements NewTenant {
  @StringField({ description: 'Name in paths and tokens, for ever', maxLength: 63 })
  slug: string;

  @StringField({ description: 'Name', maxLength: 200 })
  name: string;

  @EnumField(ENVIRONMENTS, { description: 'Environment', optional: true, default: 'production' })
  environment?: Environment;

  @StringField({ description: 'Tier of rates and quotas', optional: true, maxLength: 40 })
  tier?: string;

  @ObjectField(() => FirstAdminBody, { description: 'First administrator' })
  admin: FirstAdminBody;

  @StringField({ description: `${WALLET} of the registry's owner, who signs`, optional: true, maxLength: 42 })
  from?: string;
}

export class ContractBody {
  @StringField({ description: `${WALLET} of the first ADMIN`, maxLength: 42 })
  wallet: string;

  @StringField({ description: `${WALLET} of the registry's owner, who signs`, optional: true, maxLength: 42 })
  from?: string;
}

export class TierBody {
  @StringField({ description: 'Tier of rates and quotas', minLength: 1, maxLength: 40 })
  tier: string;
}

export class SuspendBody {
  @StringField({ description: "Why; stands in the tenant's audit log", optional: true, maxLength: 500 })
  reason?: string;
}

export class AuditQuery extends PageQuery {
  @EnumField(AUDIT_ACTIONS, { description: 'What happened', optional: true })
  action?: string;

  @StringField({ description: 'Who did it', optional: true, maxLength: 64 })
  actorId?: string;

  @StringField({ description: 'What it was done to', optional: true, maxLength: 64 })
  subject?: string;

  @StringField({ description: 'From this ISO 8601 time', optional: true, maxLength: 40 })
  from?: string;

  @StringField({ description: 'Before this ISO 8601 time', optional: true, maxLength: 40 })
  to?: string;
}
