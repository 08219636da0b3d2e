import { ObjectListField, PageView } from '#http';
import type { AuditRow, PreparedRegistryCall } from '../../administration.ports.js';
import type { Invited } from '../../application/invite-member.js';
import type { OpenedTenant } from '../../application/open-tenant.js';
import type { PreparedAdministration } from '../../application/prepare-grants.js';
import type { PreparedReplacement } from '../../application/replace-wallet.js';
import type { ApiKey } from '../../domain/api-key.js';
import type { Site } from '../../domain/organisation.js';
import type { MemberRecord, OrganisationRecord, TenantRecord } from '../persistence/administration-queries.js';
import {
  MemberView,
  ApiKeyView,
  OrganisationView,
  TenantView,
  AuditView,
  type InvitationView,
  type PreparedCallView,
  type GrantsView,
  type ReplacementView,
  type SiteView,
  type ContractPreparedView,
  type OpenedTenantView,
} from './administration.shapes.js';

export * from './administration.shapes.js';

export class MemberPageView extends PageView {
  @ObjectListField(() => MemberView, { description: 'Items of the page' })
  data: readonly MemberView[];
}

export class ApiKeyPageView extends PageView {
  @ObjectListField(() => ApiKeyView, { description: 'Items of the page' })
  data: readonly ApiKeyView[];
}

export class OrganisationPageView extends PageView {
  @ObjectListField(() => OrganisationView, { description: 'Items of the page' })
  data: readonly OrganisationView[];
}

export class TenantPageView extends PageView {
  @ObjectListField(() => TenantView, { description: 'Items of the page' })
  data: readonly TenantView[];
}

export class AuditPageView extends PageView {
  @ObjectListField(() => AuditView, { description: 'Items of the page' })
  data: readonly AuditView[];
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const memberView = (member: MemberRecord): MemberView => ({
  id: member.id,
  email: member.email,
  name: member.name,
  roles: member.roles,
  roleScopes: member.roleScopes,
  wallet: member.wallet,
  orgId: member.orgId,
  orgName: member.orgName,
  createdAt: member.createdAt.toISOString(),
  revokedAt: iso(member.revokedAt),
  onChain: member.onChain,
});

export const invitationView = (invitation: Invited['invitation']): InvitationView | null =>
  invitation && { token: invitation.token, expiresAt: invitation.expiresAt.toISOString() };

export const apiKeyView = (key: ApiKey): ApiKeyView => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  roles: key.roles,
  roleScopes: key.roleScopes,
  wallet: key.wallet,
  orgId: key.orgId,
  expiresAt: iso(key.expiresAt),
  lastUsedAt: iso(key.lastUsedAt),
  createdAt: key.createdAt.toISOString(),
  revokedAt: iso(key.revokedAt),
});

export const siteView = ({ id, name, gln, location }: Site): SiteView => ({ id, name, gln, location });

export const organisationView = ({ organisation, sites, wallets }: OrganisationRecord): OrganisationView => ({
  id: organisation.id,
  name: organisation.name,
  did: organisation.did,
  lei: organisation.lei,
  gln: organisation.gln,
  publicProfile: organisation.publicProfile,
  sites: sites.map(siteView),
  wallets: wallets.map(({ address, siteId, userId, label }) => ({ address, siteId, userId, label })),
  createdAt: organisation.createdAt.toISOString(),
});

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

export const contractPreparedView = ({ preparedTx, hints, warnings }: PreparedRegistryCall): ContractPreparedView => ({
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

const callView = ({ method, preparedTx, hints, warnings }: PreparedAdministration): PreparedCallView => ({
  method,
  preparedTx,
  hints,
  warnings,
});

export const grantsView = (calls: readonly PreparedAdministration[]): GrantsView => ({ preparedTxs: calls.map(callView) });

export const replacementView = ({ preparedTxs, acceptance }: PreparedReplacement): ReplacementView => ({
  preparedTxs: preparedTxs.map(callView),
  acceptance: callView({ ...acceptance, method: 'acceptWallet' }),
});

export const auditView = ({ id, at, action, actorKind, actorId, subject, details }: AuditRow): AuditView => ({
  id,
  at: at.toISOString(),
  action,
  actorKind,
  actorId,
  subject,
  details,
});
