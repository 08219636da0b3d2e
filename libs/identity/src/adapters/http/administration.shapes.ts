import {
  BooleanField,
  EnumField,
  HintsView,
  IntegerField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  PreparedTxView,
  StringField,
  StringListField,
} from '#http';
import { ROLES, type Role } from '#kernel';
import { AUDIT_ACTIONS } from '../../domain/audit.js';
import type { RoleScopes } from '../../domain/member.js';
import { ENVIRONMENTS, type Environment } from '../../domain/tenant.js';

const SCOPES = 'Process keys or globs by role; a role that is absent covers every process';
const WALLET = 'EIP-55 address';

export class InvitationView {
  @StringField({
    description: 'For POST /api/v2/auth/invitations/accept; shown once: absent where an answer is given again',
    optional: true,
  })
  token?: string;

  @StringField({ description: 'Good until', format: 'date-time' })
  expiresAt: string;
}

export class PreparedCallView {
  @StringField({ description: 'Method of the contract' })
  method: string;

  @ObjectField(() => PreparedTxView, { description: 'For your wallet to sign' })
  preparedTx: PreparedTxView;

  @ObjectField(() => HintsView, { description: 'Advice' })
  hints: HintsView;

  @StringListField({ description: 'What to know before signing' })
  warnings: readonly string[];
}

export class GrantsView {
  @ObjectListField(() => PreparedCallView, { description: 'In the order in which to send them; empty where chain and service agree' })
  preparedTxs: PreparedCallView[];
}

export class ReplacementView extends GrantsView {
  @ObjectField(() => PreparedCallView, { description: 'For the new wallet, seven days after the proposal' })
  acceptance: PreparedCallView;
}

export class OnChainView {
  @StringListField({ description: 'ADMIN, OPERATOR_ALL, OPERATOR, RECALLER, RETURNS' })
  roles: readonly string[];

  @StringListField({ description: 'Process keys (or bytes32 ids where no map has them) that OPERATOR may record' })
  processes: readonly string[];

  @BooleanField({ description: 'Whether the contract allows exactly what the service does' })
  agrees: boolean;
}

export class MemberView {
  @StringField({ description: 'User id' })
  id: string;

  @StringField({ description: 'E-mail address' })
  email: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringListField({ description: 'Roles', enum: ROLES })
  roles: readonly Role[];

  @JsonObjectField({ description: SCOPES })
  roleScopes: RoleScopes;

  @StringField({ description: WALLET, nullable: true })
  wallet: string | null;

  @StringField({ description: 'Organisation', nullable: true })
  orgId: string | null;

  @StringField({ description: 'Its name', nullable: true })
  orgName: string | null;

  @StringField({ description: 'Member since', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'Removed at', format: 'date-time', nullable: true })
  revokedAt: string | null;

  @ObjectField(() => OnChainView, {
    description: "The wallet's rights in the contract, as far as projected; null without wallet or contract",
    nullable: true,
  })
  onChain: OnChainView | null;
}

export class InvitedView extends MemberView {
  @ObjectField(() => InvitationView, { description: 'One-time link for a user without a password', nullable: true })
  invitation: InvitationView | null;
}

export class ApiKeyView {
  @StringField({ description: 'Key id' })
  id: string;

  @StringField({ description: 'What it is for' })
  name: string;

  @StringField({ description: 'The start of its text, to recognise it by' })
  prefix: string;

  @StringListField({ description: 'Roles', enum: ROLES })
  roles: readonly Role[];

  @JsonObjectField({ description: SCOPES })
  roleScopes: RoleScopes;

  @StringField({ description: WALLET, nullable: true })
  wallet: string | null;

  @StringField({ description: 'Organisation', nullable: true })
  orgId: string | null;

  @StringField({ description: 'Good until', format: 'date-time', nullable: true })
  expiresAt: string | null;

  @StringField({ description: 'Last use, to the minute', format: 'date-time', nullable: true })
  lastUsedAt: string | null;

  @StringField({ description: 'Created at', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'Revoked at', format: 'date-time', nullable: true })
  revokedAt: string | null;
}

export class ApiKeySecretView extends ApiKeyView {
  @StringField({ description: 'For `X-API-Key`; shown this once: absent where an answer is given again', optional: true })
  secret?: string;
}

export class SiteView {
  @StringField({ description: 'Site id' })
  id: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringField({ description: 'GS1 global location number', nullable: true })
  gln: string | null;

  @JsonObjectField({ description: 'As given', nullable: true })
  location: Readonly<Record<string, unknown>> | null;
}

export class OrgWalletView {
  @StringField({ description: WALLET })
  address: string;

  @StringField({ description: 'Site', nullable: true })
  siteId: string | null;

  @StringField({ description: 'User', nullable: true })
  userId: string | null;

  @StringField({ description: 'Label', nullable: true })
  label: string | null;
}

export class OrganisationView {
  @StringField({ description: 'Organisation id' })
  id: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringField({ description: 'DID', nullable: true })
  did: string | null;

  @StringField({ description: 'LEI', nullable: true })
  lei: string | null;

  @StringField({ description: 'GLN', nullable: true })
  gln: string | null;

  @JsonObjectField({ description: 'What passports may show' })
  publicProfile: Readonly<Record<string, unknown>>;

  @ObjectListField(() => SiteView, { description: 'Places' })
  sites: SiteView[];

  @ObjectListField(() => OrgWalletView, { description: 'Addresses' })
  wallets: OrgWalletView[];

  @StringField({ description: 'Created at', format: 'date-time' })
  createdAt: string;
}

export class TenantView {
  @StringField({ description: 'Slug' })
  tenantId: string;

  @StringField({ description: 'UUID' })
  tenantUuid: string;

  @StringField({ description: 'Name' })
  name: string;

  @EnumField(ENVIRONMENTS, { description: 'Environment' })
  environment: Environment;

  @StringField({ description: 'Tier' })
  tier: string;

  @EnumField(['active', 'suspended'], { description: 'A suspended tenant lets nobody in' })
  status: string;

  @StringField({ description: 'bytes32: keccak256 of the slug' })
  onChainTenantId: string;

  @StringField({ description: 'Contract; null until its creation has landed', nullable: true })
  contract: string | null;

  @IntegerField({ description: 'Version of the contract', nullable: true })
  contractVersion: number | null;

  @StringField({ description: 'Created at', format: 'date-time' })
  createdAt: string;
}

export class OpenedAdminView {
  @StringField({ description: 'User id' })
  id: string;

  @ObjectField(() => InvitationView, { description: 'One-time link for a user without a password', nullable: true })
  invitation: InvitationView | null;
}

export class ContractPreparedView {
  @ObjectField(() => PreparedTxView, { description: "Makes the tenant's contract; for the registry's owner to sign" })
  preparedTx: PreparedTxView;

  @ObjectField(() => HintsView, { description: 'Advice' })
  hints: HintsView;

  @StringListField({ description: 'What to know before signing' })
  warnings: readonly string[];
}

export class OpenedTenantView extends ContractPreparedView {
  @ObjectField(() => TenantView, { description: 'The tenant' })
  tenant: TenantView;

  @ObjectField(() => OpenedAdminView, { description: 'Its first administrator' })
  admin: OpenedAdminView;
}

export class AuditView {
  @StringField({ description: 'Entry id' })
  id: string;

  @StringField({ description: 'When', format: 'date-time' })
  at: string;

  @EnumField(AUDIT_ACTIONS, { description: 'What happened' })
  action: string;

  @EnumField(['user', 'api_key', 'platform', 'operator'], { description: 'Kind of actor' })
  actorKind: string;

  @StringField({ description: 'Who', nullable: true })
  actorId: string | null;

  @StringField({ description: 'What it was done to', nullable: true })
  subject: string | null;

  @JsonObjectField({ description: 'More; never a secret' })
  details: Readonly<Record<string, unknown>>;
}
