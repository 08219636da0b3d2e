import { Injectable } from '@nestjs/common';
import { Clock, invalidContent, isChecksumAddress, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type PreparedRegistryCall, RegistryCalls } from '../administration.ports.js';
import { AuditLog, Tenants } from '../contract.js';
import type { AuditActor } from '../domain/audit.js';
import { contractExists, slugTaken, tenantNotFound } from '../domain/errors.js';
import { type NewTenant, Tenant } from '../domain/tenant.js';
import { InviteMember, type Invited } from './invite-member.js';

export interface FirstAdmin {
  readonly email: string;
  readonly name?: string;
  readonly password?: string;
  /** EIP-55; gets ADMIN in the tenant's contract. */
  readonly wallet: string;
}

export interface OpenedTenant extends PreparedRegistryCall {
  readonly tenant: Tenant;
  readonly admin: Invited;
}

/** A new tenant with its first administrator, and the transaction that makes its contract: for the registry's owner to sign. */
@Injectable()
export class OpenTenant {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tenants: Tenants,
    private readonly registry: RegistryCalls,
    private readonly inviteMember: InviteMember,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422, 409 `slug_taken`, `no_registry`, `email_taken`: then nothing was made */
  async open(input: NewTenant & { readonly admin: FirstAdmin }, from: string | null, by: AuditActor): Promise<OpenedTenant> {
    const tenant = Tenant.create(input, newId(), this.clock.now());
    checkWallet(input.admin.wallet, '/admin/wallet');
    // Before anything is written: without a registry there is no contract to wait for.
    const prepared = await this.registry.createTenant(tenant, input.admin.wallet, from);
    const hash = await this.inviteMember.hashed(input.admin.password);
    const admin = await this.unitOfWork.asSystem(async (tx) => {
      const made = await tx.repository(Tenant).createQueryBuilder().insert().values(tenant).orIgnore().returning('id').execute();
      if ((made.raw as unknown[]).length === 0) throw slugTaken(tenant.slug);
      const { slug, environment, tier } = tenant;
      await this.audit.record(tx, tenant.id, by, { action: 'tenant.created', subject: tenant.id, details: { slug, environment, tier } });
      return this.inviteMember.inviteIn(tx, tenant.id, { ...input.admin, roles: ['TENANT_ADMIN'] }, hash, by);
    });
    return { tenant, admin, ...prepared };
  }

  /** The same transaction again, for one that was lost. @throws DomainError 404, 409 `contract_exists` */
  async prepareContract(slugOrId: string, wallet: string, from: string | null): Promise<PreparedRegistryCall> {
    checkWallet(wallet, '/wallet');
    const tenant = await this.find(slugOrId);
    if ((await this.tenants.byId(tenant.id)).contract !== null) throw contractExists();
    return this.registry.createTenant(tenant, wallet, from);
  }

  private async find(slugOrId: string): Promise<Tenant> {
    const [row] = await this.unitOfWork.asSystem((tx) =>
      tx.sql<{ id: string }>('select id from identity.tenant where slug = $1 or id::text = lower($1)', [slugOrId]),
    );
    if (!row) throw tenantNotFound();
    return this.unitOfWork.asSystem((tx) => tx.repository(Tenant).findOneByOrFail({ id: row.id }));
  }
}

function checkWallet(wallet: string, pointer: string): void {
  if (!isChecksumAddress(wallet)) throw invalidContent([{ pointer, code: 'invalid_address', message: 'An address in its EIP-55 form.' }]);
}
