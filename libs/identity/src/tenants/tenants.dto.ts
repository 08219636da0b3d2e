import { EnumField, IntegerField, ObjectField, ObjectListField, PageView, StringField, StringListField } from '#http';
import { HintsView, PreparedTxView } from '#prepare';
import { MAX_PASSWORD_BYTES } from '../accounts/account.js';
import { InvitationView, invitationView } from '../members/members.dto.js';
import type { FirstAdmin, OpenedTenant } from './open-tenant.js';
import type { PreparedContract } from './registry.client.js';
import { type Environment, ENVIRONMENTS, type NewTenant, type Usage } from './tenant.js';
import type { TenantRecord } from './tenants.queries.js';

const WALLET = 'EIP-55 address';
const OWNER = { description: `${WALLET} of the registry's owner, who signs`, optional: true, maxLength: 42 } as const;

export class FirstAdminBody implements FirstAdmin {
  @StringField({ description: 'E-mail address of the first TENANT_ADMIN', maxLength: 320 })
  email: string;

  @StringField({ description: 'Name of a new user', optional: true, maxLength: 200 })
  name?: string;

  @StringField({
    description: 'Password of a new user; without it they get a one-time link',
    optional: true,
    maxLength: MAX_PASSWORD_BYTES,
    format: 'password',
  })
  password?: string;

  @StringField({ description: `${WALLET}; ADMIN of the tenant's contract`, maxLength: 42 })
  wallet: string;
}

export class TenantBody implements NewTenant {
  @StringField({ description: 'Name in paths and tokens; it never changes', maxLength: 63 })
  slug: string;

  @StringField({ description: 'Name', maxLength: 200 })
  name: string;

  @EnumField(ENVIRONMENTS, { description: 'Environment', optional: true, default: 'production' })
  environment?: Environment;

  @StringField({ description: 'Tier of rates and quotas', optional: true, maxLength: 40 })
  tier?: string;

  @ObjectField(() => FirstAdminBody, { description: 'First administrator' })
  admin: FirstAdminBody;

  @StringField(OWNER)
  from?: string;
}

export class ContractBody {
  @StringField({ description: `${WALLET} of the first ADMIN`, maxLength: 42 })
  wallet: string;

  @StringField(OWNER)
  from?: string;
}

export class TierBody {
  @StringField({ description: 'Tier of rates and quotas', minLength: 1, maxLength: 40 })
  tier: string;
}

export class SuspendBody {
  @StringField({ description: "Reason, for the tenant's audit log", optional: true, maxLength: 500 })
  reason?: string;
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

  @EnumField(['active', 'suspended'], { description: 'Members and keys of a suspended tenant are refused' })
  status: string;

  @StringField({ description: 'bytes32: keccak256 of the slug' })
  onChainTenantId: string;

  @StringField({ description: 'Contract; null until its creation is on chain', nullable: true })
  contract: string | null;

  @IntegerField({ description: 'Version of the contract', nullable: true })
  contractVersion: number | null;

  @StringField({ description: 'Created at', format: 'date-time' })
  createdAt: string;
}

export class TenantPageView extends PageView {
  @ObjectListField(() => TenantView, { description: 'Items of the page' })
  data: readonly TenantView[];
}

export class OpenedAdminView {
  @StringField({ description: 'User id' })
  id: string;

  @ObjectField(() => InvitationView, { description: 'One-time link for a user without a password', nullable: true })
  invitation: InvitationView | null;
}

export class ContractPreparedView {
  @ObjectField(() => PreparedTxView, { description: "Creates the tenant's contract; for the registry's owner to sign" })
  preparedTx: PreparedTxView;

  @ObjectField(() => HintsView, { description: 'Suggested nonce and fees' })
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

export const tenantView = ({ tenant, contract, contractVersion }: TenantRecord): TenantView => ({
  tenantId: tenant.slug,
  tenantUuid: tenant.id,
  name: tenant.name,
  environment: tenant.environment,
  tier: tenant.tier,
  status: tenant.status,
  onChainTenantId: tenant.onChainTenantId,
  contract,
  contractVersion,
  createdAt: tenant.createdAt.toISOString(),
});

export const contractPreparedView = ({ preparedTx, hints, warnings }: PreparedContract): ContractPreparedView => ({
  preparedTx,
  hints,
  warnings,
});

export const openedTenantView = (opened: OpenedTenant): OpenedTenantView => ({
  tenant: tenantView({ tenant: opened.tenant, contract: null, contractVersion: null }),
  admin: { id: opened.admin.userId, invitation: invitationView(opened.admin.invitation) },
  preparedTx: opened.preparedTx,
  hints: opened.hints,
  warnings: opened.warnings,
});

export class UsedView {
  @IntegerField({ description: 'Used' })
  used: number;

  @IntegerField({ description: 'What the tier allows' })
  limit: number;
}

export class RateView {
  @IntegerField({ description: 'Requests a minute, for each principal' })
  perMinute: number;
}

export class PlacesView {
  @IntegerField({ description: 'Sites' })
  sites: number;

  @IntegerField({ description: 'Wallets' })
  wallets: number;
}

export class UsageView {
  @StringField({ description: "The tenant's tier" })
  tier: string;

  @StringField({ description: 'First day of the month in which events are counted, UTC', format: 'date' })
  month: string;

  @ObjectField(() => RateView, { description: 'Rate; the RateLimit headers of every answer say what is left' })
  requests: RateView;

  @ObjectField(() => UsedView, { description: 'Events prepared this month' })
  events: UsedView;

  @ObjectField(() => UsedView, { description: 'Bytes of content stored so far' })
  storedBytes: UsedView;

  @ObjectField(() => UsedView, { description: 'Valid API keys' })
  apiKeys: UsedView;

  @ObjectField(() => UsedView, { description: 'Webhook subscriptions' })
  subscriptions: UsedView;

  @ObjectField(() => UsedView, { description: 'Members, and who was invited and never accepted' })
  members: UsedView;

  @ObjectField(() => UsedView, { description: 'Organisations' })
  organisations: UsedView;

  @ObjectField(() => PlacesView, { description: 'What each organisation may have' })
  eachOrganisation: PlacesView;
}

export const usageView = ({ tier, month, limits, ...used }: Usage): UsageView => ({
  tier,
  month,
  requests: { perMinute: limits.requestsPerMinute },
  events: { used: used.events, limit: limits.eventsPerMonth },
  storedBytes: { used: used.storedBytes, limit: limits.storedBytes },
  apiKeys: { used: used.keys, limit: limits.keys },
  subscriptions: { used: used.subscriptions, limit: limits.subscriptions },
  members: { used: used.members, limit: limits.members },
  organisations: { used: used.organisations, limit: limits.organisations },
  eachOrganisation: { sites: limits.sites, wallets: limits.wallets },
});
