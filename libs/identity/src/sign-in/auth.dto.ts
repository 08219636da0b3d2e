import { BooleanField, EnumField, JsonObjectField, ObjectListField, StringField, StringListField } from '#http';
import { type Language, LANGUAGES, ROLES, type Role } from '#kernel';
import type { RoleScopes } from '../access/grants.js';
import { MAX_PASSWORD_BYTES } from '../accounts/account.js';
import type { IdentityPayload, MembershipSummary } from '../sessions/identity-payload.js';
import type { Credentials } from './log-in.js';
import type { SignedMessage } from './check-signature.js';

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

export class SignedMessageBody implements SignedMessage {
  @StringField({ description: 'The signed EIP-4361 text, at most 4 KiB' })
  message: string;

  @StringField({ description: 'Signature of the wallet (EIP-191, or one that its contract accepts, EIP-1271): 0x and hex digits' })
  signature: string;
}

export class SiweRequest extends SignedMessageBody {
  @StringField({
    description: 'Slug or UUID of the tenant to sign in to; needed to accept an invitation with this wallet',
    optional: true,
    maxLength: 64,
  })
  tenantId?: string;
}

export class MembershipView implements MembershipSummary {
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

  @EnumField(ROLES, { description: 'Most far-reaching role of the user', nullable: true })
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

  @StringField({ description: 'A wallet that an administrator proposed and you have not confirmed yet', nullable: true })
  proposedWallet: string | null;

  @EnumField(LANGUAGES, { description: 'Of mails to you; null: nobody has chosen one', nullable: true })
  language: Language | null;

  @BooleanField({ description: 'As in the login result' })
  stale: boolean;
}

const text = { type: 'string' };
const KEY = {
  type: 'object',
  required: ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'],
  properties: { kty: text, crv: text, x: text, y: text, kid: text, alg: text, use: text },
};
/** The answer of `/.well-known/jwks.json`. */
export const KEY_SET = { type: 'object', required: ['keys'], properties: { keys: { type: 'array', items: KEY } } };
