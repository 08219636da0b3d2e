import { Injectable } from '@nestjs/common';
import { Clock, invalidContent, isChecksumAddress, newId } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { RevocationsQueries } from '../access/revocations.queries.js';
import type { AuditActor } from '../audit/audit.js';
import { AuditLog } from '../contract.js';
import { contractExists, slugTaken, unknownTier } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import { type Invited, InviteMember } from '../members/invite-member.js';
import { type PreparedContract, RegistryClient } from './registry.client.js';
import { type FormerTenant, type NewTenant, Tenant } from './tenant.js';
import { TenantsQueries } from './tenants.queries.js';

/** Creates the tenant without its contract. Who owns the registry creates the contract on chain; the indexer joins it by `keccak256(slug)`. */
@Injectable()
export class CreateTenant {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tenants: TenantsQueries,
    private readonly clock: Clock,
    private readonly settings: IdentitySettings,
  ) {}

  /** @throws DomainError 422, 409 `slug_taken` */
  async create(input: NewTenant): Promise<Tenant> {
    const tenant = this.draft(input);
    await this.unitOfWork.asSystem((tx) => this.createIn(tx, tenant));
    return tenant;
  }

  /** A tenant that is not stored yet. @throws DomainError 422 */
  draft(input: NewTenant & FormerTenant): Tenant {
    const { tiers } = this.settings;
    if (input.tier !== undefined && !tiers.includes(input.tier)) throw unknownTier(input.tier, tiers);
    return Tenant.create(input, input.id ?? newId(), this.clock.now());
  }

  /** @throws DomainError 409 `slug_taken`, 422 for the id of another tenant */
  async createIn(tx: SystemTx, tenant: Tenant): Promise<void> {
    if (await this.tenants.insert(tx, tenant)) return;
    if (await this.tenants.bySlug(tenant.slug)) throw slugTaken(tenant.slug);
    throw invalidContent([{ pointer: '/id', code: 'id_taken', message: `Another tenant has the id ${tenant.id}.` }]);
  }

  /** By its slug; null for an unknown slug. */
  find(slug: string): Promise<Tenant | null> {
    return this.tenants.bySlug(slug);
  }
}

@Injectable()
export class PrepareContract {
  constructor(
    private readonly tenants: TenantsQueries,
    private readonly registry: RegistryClient,
  ) {}

  /** For a transaction that was lost. @throws DomainError 404 `tenant_not_found`, 409 `contract_exists`, `no_registry` */
  async prepare(slugOrId: string, wallet: string, from: string | null): Promise<PreparedContract> {
    if (!isChecksumAddress(wallet))
      throw invalidContent([{ pointer: '/wallet', code: 'invalid_address', message: 'An address in its EIP-55 form.' }]);
    const { tenant, contract } = await this.tenants.get(slugOrId);
    if (contract !== null) throw contractExists();
    return this.prepareFor(tenant, wallet, from);
  }

  /** @param admin EIP-55 of the first ADMIN @throws DomainError 409 `no_registry`, 422 `tx_would_revert` */
  prepareFor(tenant: Tenant, admin: string, from: string | null): Promise<PreparedContract> {
    return this.registry.createTenant(tenant, admin, from);
  }
}

export interface FirstAdmin {
  readonly email: string;
  readonly name?: string;
  readonly password?: string;
  /** EIP-55; gets ADMIN in the tenant's contract. */
  readonly wallet: string;
}

export interface OpenedTenant extends PreparedContract {
  readonly tenant: Tenant;
  readonly admin: Invited;
}

/** Creates a tenant with its first administrator, and prepares the transaction that creates its contract, for the registry's owner to sign. */
@Injectable()
export class OpenTenant {
  constructor(
    private readonly revocations: RevocationsQueries,
    private readonly createTenant: CreateTenant,
    private readonly prepareContract: PrepareContract,
    private readonly inviteMember: InviteMember,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 422, 409 `slug_taken`, `no_registry`, `email_taken`; then nothing was created */
  async open(input: NewTenant & FormerTenant & { readonly admin: FirstAdmin }, from: string | null, by: AuditActor): Promise<OpenedTenant> {
    const tenant = this.createTenant.draft(input);
    if (!isChecksumAddress(input.admin.wallet))
      throw invalidContent([{ pointer: '/admin/wallet', code: 'invalid_address', message: 'An address in its EIP-55 form.' }]);
    // Before anything is written: without a registry no contract can be created.
    const prepared = await this.prepareContract.prepareFor(tenant, input.admin.wallet, from);
    const hash = await this.inviteMember.hash(input.admin.password);
    const admin = await this.revocations.asSystem(async (tx, revoke) => {
      await this.createTenant.createIn(tx, tenant);
      const { slug, environment, tier } = tenant;
      await this.audit.record(tx, tenant.id, by, { action: 'tenant.created', subject: tenant.id, details: { slug, environment, tier } });
      return this.inviteMember.addIn({ tx, revoke }, tenant.id, { ...input.admin, roles: ['TENANT_ADMIN'] }, hash, by);
    });
    return { tenant, admin, ...prepared };
  }
}
