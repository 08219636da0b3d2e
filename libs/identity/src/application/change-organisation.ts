import { Injectable } from '@nestjs/common';
import { type Actor, Clock, hasRole, isUuid, newId } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import {
  notYourOrganisation,
  organisationNameTaken,
  organisationNotFound,
  siteInUse,
  siteNotFound,
  walletInUse,
  walletNotFound,
} from '../domain/errors.js';
import { type NewOrganisation, type NewSite, Organisation, Site, createSite } from '../domain/organisation.js';
import { subjectOf } from '../domain/revocation.js';
import { Revocations } from '../ports.js';
import { BindWallet } from './bind-wallet.js';

/** Profile, sites and wallets: the tenant's administrator changes any, an organisation's ADMIN its own (api-decisions §2). */
@Injectable()
export class ChangeOrganisation {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly bindWallet: BindWallet,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** What is absent stays. @throws DomainError 404 `organisation_not_found`, 403 `not_your_organisation`, 409 `organisation_name_taken`, 422 */
  change(actor: Actor, id: string, changes: Partial<NewOrganisation>): Promise<void> {
    return this.own(actor, id, async (tx, standing) => {
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const changed = Organisation.create(actor.tenantId, Object.assign({}, standing, given), standing.id, standing.createdAt);
      const [twin] = await tx.sql('select 1 from identity.organisation where tenant_id = $1 and lower(name) = lower($2) and id <> $3', [
        actor.tenantId,
        changed.name,
        changed.id,
      ]);
      if (twin) throw organisationNameTaken(changed.name);
      await tx.repository(Organisation).save(changed as never);
      await this.audit.record(tx, actor.tenantId, actor, { action: 'organisation.changed', subject: id, details: { changed: given } });
    });
  }

  /** @throws DomainError as `change` */
  addSite(actor: Actor, id: string, site: NewSite): Promise<Site> {
    return this.own(actor, id, async (tx) => {
      const made = createSite(actor.tenantId, id, site, newId(), this.clock.now());
      await tx.repository(Site).insert(made as never);
      await this.audit.record(tx, actor.tenantId, actor, {
        action: 'organisation.changed',
        subject: id,
        details: { siteAdded: { id: made.id, name: made.name } },
      });
      return made;
    });
  }

  /** @throws DomainError 404 `site_not_found`, 409 `site_in_use` */
  removeSite(actor: Actor, id: string, siteId: string): Promise<void> {
    return this.own(actor, id, async (tx) => {
      if (!isUuid(siteId)) throw siteNotFound();
      const [used] = await tx.sql('select 1 from identity.wallet where tenant_id = $1 and site_id = $2 limit 1', [actor.tenantId, siteId]);
      if (used) throw siteInUse();
      const { affected } = await tx.repository(Site).delete({ tenantId: actor.tenantId, id: siteId, orgId: id });
      if (!affected) throw siteNotFound();
      await this.audit.record(tx, actor.tenantId, actor, { action: 'organisation.changed', subject: id, details: { siteRemoved: siteId } });
    });
  }

  /** @throws DomainError as `change`; 409 `wallet_taken`, 404 `site_not_found` */
  async addWallet(actor: Actor, id: string, wallet: { address: string; siteId?: string | null; label?: string | null }): Promise<void> {
    await this.own(actor, id, async (tx) => {
      const { siteId = null } = wallet;
      const belongs =
        siteId === null || (isUuid(siteId) && (await tx.repository(Site).existsBy({ tenantId: actor.tenantId, id: siteId, orgId: id })));
      if (!belongs) throw siteNotFound();
    });
    await this.bindWallet.bind(actor.tenantId, { ...wallet, orgId: id });
    await this.unitOfWork.inTransaction(actor, (tx) =>
      this.audit.record(tx, actor.tenantId, actor, { action: 'organisation.changed', subject: id, details: { walletAdded: wallet } }),
    );
  }

  /** Its past stays: lots that it held are shown by its address. @throws DomainError 404 `wallet_not_found`, 409 `wallet_in_use` */
  async removeWallet(actor: Actor, id: string, address: string): Promise<void> {
    const subjects = [subjectOf.tenant(actor.tenantId)];
    await this.own(actor, id, async (tx) => {
      const [member] = await tx.sql('select 1 from identity.member where tenant_id = $1 and wallet = $2 and revoked_at is null', [
        actor.tenantId,
        address,
      ]);
      if (member) throw walletInUse();
      const gone = await tx.sql('delete from identity.wallet where tenant_id = $1 and org_id = $2 and address = $3 returning address', [
        actor.tenantId,
        id,
        address,
      ]);
      if (gone.length === 0) throw walletNotFound();
      await this.revocations.record(tx, subjects);
      await this.audit.record(tx, actor.tenantId, actor, {
        action: 'organisation.changed',
        subject: id,
        details: { walletRemoved: address },
      });
    });
    this.revocations.forget(subjects);
  }

  private own<T>(actor: Actor, id: string, work: (tx: TenantTx, standing: Organisation) => Promise<T>): Promise<T> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const standing = isUuid(id)
        ? await tx.repository(Organisation).findOne({ where: { tenantId: actor.tenantId, id }, lock: { mode: 'pessimistic_write' } })
        : null;
      if (!standing) throw organisationNotFound();
      if (!hasRole(actor, 'TENANT_ADMIN') && actor.orgId !== standing.id) throw notYourOrganisation();
      return work(tx, standing);
    });
  }
}
