import type { ContextPersistence } from '#persistence';
import { entities } from './identity.entity.js';
import { identityRetention } from './retention.queries.js';

export { Access, CurrentActor } from '#http';
export type { Grants, RoleScopes } from './access/grants.js';
export { CurrentBearer } from './access/principal.guard.js';
export type { BearerPrincipal } from './access/principal.js';
export { CreateUser } from './accounts/create-user.js';
export { RequestPasswordReset } from './accounts/request-password-reset.js';
export type { NewUser } from './accounts/account.js';
export { ChangeApiKey } from './api-keys/change-api-key.js';
export { CreateApiKey } from './api-keys/create-api-key.js';
export { type AuditActor, type AuditEntry, OPERATOR } from './audit/audit.js';
export * from './contract.js';
export * from './errors.js';
export { IdentityModule } from './identity.module.js';
export { IdentitySettings } from './identity.settings.js';
export { checkMailServer } from './mail/mailer.client.js';
export { AddMember } from './members/change-member.js';
export { ChangeMember } from './members/change-member.js';
export { InviteMember } from './members/invite-member.js';
export { PrepareGrants } from './members/prepare-grants.js';
export { ReadMembers } from './members/read-members.js';
export { CreateOrganisation } from './organisations/create-organisation.js';
export type { NewOrganisation } from './organisations/organisation.js';
export { ChangeTenant } from './tenants/change-tenant.js';
export { CreateTenant } from './tenants/open-tenant.js';
export { OpenTenant } from './tenants/open-tenant.js';
export type { Environment, NewTenant } from './tenants/tenant.js';
export { TenantsQueries } from './tenants/tenants.queries.js';
export { BindWallet } from './wallets/bind-wallet.js';
export type { ProcessRecorders } from './wallets/chain-grant.js';
export type { NewBinding } from './wallets/wallet.js';
export { WalletsProjector } from './wallets/wallets.projector.js';

export const identityPersistence: ContextPersistence = {
  schema: 'identity',
  migrations: new URL('./migrations/', import.meta.url),
  entities,
  retention: identityRetention,
};
