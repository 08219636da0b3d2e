import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { ApiKey } from './api-keys/api-key.js';
import { Member } from './members/member.js';
import { Organisation, Site } from './organisations/organisation.js';
import { Session } from './sessions/session.js';
import { Tenant } from './tenants/tenant.js';
import { User } from './accounts/account.js';
import { Wallet } from './wallets/wallet.js';

const key = (name: string): EntitySchemaColumnOptions => ({ type: 'uuid', name, primary: true });
const text = (name: string): EntitySchemaColumnOptions => ({ type: 'text', name });
const uuid = (name: string): EntitySchemaColumnOptions => ({ type: 'uuid', name });
const time = (name: string): EntitySchemaColumnOptions => ({ type: 'timestamptz', name });
const json = (name: string): EntitySchemaColumnOptions => ({ type: 'jsonb', name });
const nullable = (column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({ ...column, nullable: true });

export const entities: readonly EntitySchema[] = [
  new EntitySchema<Tenant>({
    name: 'Tenant',
    target: Tenant,
    schema: 'identity',
    tableName: 'tenant',
    columns: {
      id: key('id'),
      slug: text('slug'),
      name: text('name'),
      onChainTenantId: text('on_chain_tenant_id'),
      environment: text('environment'),
      tier: text('tier'),
      status: text('status'),
      createdAt: time('created_at'),
    },
  }),
  new EntitySchema<User>({
    name: 'User',
    target: User,
    schema: 'identity',
    tableName: 'app_user',
    columns: {
      id: key('id'),
      email: text('email'),
      name: text('name'),
      passwordHash: nullable(text('password_hash')),
      platformAdmin: { type: 'boolean', name: 'platform_admin' },
      disabledAt: nullable(time('disabled_at')),
      createdAt: time('created_at'),
      language: nullable(text('language')),
    },
  }),
  new EntitySchema<Session>({
    name: 'Session',
    target: Session,
    schema: 'identity',
    tableName: 'session',
    columns: {
      id: key('id'),
      userId: uuid('user_id'),
      activeTenant: nullable(uuid('active_tenant')),
      counter: { type: 'int', name: 'counter' },
      loginFingerprint: text('login_fingerprint'),
      createdAt: time('created_at'),
      lastUsedAt: time('last_used_at'),
      rotatedAt: time('rotated_at'),
      revokedAt: nullable(time('revoked_at')),
      wallet: nullable(text('wallet')),
      onlyTenant: nullable(uuid('only_tenant')),
      browser: nullable(text('browser')),
      system: nullable(text('system')),
    },
  }),
  new EntitySchema<Organisation>({
    name: 'Organisation',
    target: Organisation,
    schema: 'identity',
    tableName: 'organisation',
    columns: {
      tenantId: key('tenant_id'),
      id: key('id'),
      name: text('name'),
      did: nullable(text('did')),
      lei: nullable(text('lei')),
      gln: nullable(text('gln')),
      publicProfile: json('public_profile'),
      createdAt: time('created_at'),
    },
  }),
  new EntitySchema<Site>({
    name: 'Site',
    target: Site,
    schema: 'identity',
    tableName: 'site',
    columns: {
      tenantId: key('tenant_id'),
      id: key('id'),
      orgId: uuid('org_id'),
      name: text('name'),
      gln: nullable(text('gln')),
      location: nullable(json('location')),
      createdAt: time('created_at'),
    },
  }),
  new EntitySchema<Member>({
    name: 'Member',
    target: Member,
    schema: 'identity',
    tableName: 'member',
    columns: {
      tenantId: key('tenant_id'),
      userId: key('user_id'),
      roles: { type: 'text', name: 'roles', array: true },
      roleScopes: json('role_scopes'),
      orgId: nullable(uuid('org_id')),
      wallet: nullable(text('wallet')),
      proposedWallet: nullable(text('proposed_wallet')),
      invitedName: nullable(text('invited_name')),
      acceptedAt: nullable(time('accepted_at')),
      recoveringSince: nullable(time('recovering_since')),
      createdAt: time('created_at'),
      revokedAt: nullable(time('revoked_at')),
    },
  }),
  new EntitySchema<Wallet>({
    name: 'Wallet',
    target: Wallet,
    schema: 'identity',
    tableName: 'wallet',
    columns: {
      tenantId: key('tenant_id'),
      address: { type: 'text', name: 'address', primary: true },
      orgId: nullable(uuid('org_id')),
      siteId: nullable(uuid('site_id')),
      userId: nullable(uuid('user_id')),
      label: nullable(text('label')),
      createdAt: time('created_at'),
      provenAt: nullable(time('proven_at')),
    },
  }),
  new EntitySchema<ApiKey>({
    name: 'ApiKey',
    target: ApiKey,
    schema: 'identity',
    tableName: 'api_key',
    columns: {
      tenantId: key('tenant_id'),
      id: key('id'),
      name: text('name'),
      prefix: text('prefix'),
      secretHash: { type: 'bytea', name: 'secret_hash' },
      previousHash: nullable({ type: 'bytea', name: 'previous_hash' }),
      previousUntil: nullable(time('previous_until')),
      roles: { type: 'text', name: 'roles', array: true },
      roleScopes: json('role_scopes'),
      orgId: nullable(uuid('org_id')),
      wallet: nullable(text('wallet')),
      createdBy: nullable(uuid('created_by')),
      createdAt: time('created_at'),
      expiresAt: nullable(time('expires_at')),
      lastUsedAt: nullable(time('last_used_at')),
      revokedAt: nullable(time('revoked_at')),
    },
  }),
] as EntitySchema[];
