import { Injectable } from '@nestjs/common';
import { ANY_STATE, type Actor, Clock, type ExpectedState, hasRole, isUuid, newId, requireEveryProcess } from '#kernel';
import type { TenantTx } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { type Revoke, RevocationsQueries } from '../access/revocations.queries.js';
import { AuditLog, Quotas } from '../contract.js';
import {
  notYourOrganisation,
  organisationNameTaken,
  siteInUse,
  siteNotFound,
  walletInUse,
  walletNotFound,
  walletTaken,
} from '../errors.js';
import { BindWallet } from '../wallets/bind-wallet.js';
import { type NewOrganisation, type NewSite, Organisation, type Site, createSite, profileOf } from './organisation.js';
import { OrganisationsQueries } from './organisations.queries.js';

/** A transaction about an organisation that the actor may change: the tenant's administrator any, an organisation's ADMIN its own (docs/spec/api.md#identity). */
@Injectable()
export class EditOrganisation {
  constructor(
    private readonly organisations: OrganisationsQueries,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 404 `organisation_not_found`, 403 `not_your_organisation`, `beyond_own_grants` */
  edit<T>(actor: Actor, id: string, work: (tx: TenantTx, current: Organisation, revoke: Revoke) => Promise<T>): Promise<T> {
    return this.revocations.inTransaction(actor, async (tx, revoke) => {
      const current = await this.organisations.lock(tx, id);
      // Being a member is not enough: a TENANT_ADMIN of some processes may be one of any role.
      if (actor.orgId !== current.id || !hasRole(actor, 'ADMIN')) {
        if (!hasRole(actor, 'TENANT_ADMIN')) throw notYourOrganisation();
        requireEveryProcess(actor, ['TENANT_ADMIN']);
      }
      return work(tx, current, revoke);
    });
  }

  record(tx: TenantTx, actor: Actor, id: string, details: Readonly<Record<string, unknown>>): Promise<void> {
    return this.audit.record(tx, actor.tenantId, actor, { action: 'organisation.changed', subject: id, details });
  }
}

/** Profile, sites and wallets. */
@Injectable()
export class ChangeOrganisation {
  constructor(
    private readonly organisations: OrganisationsQueries,
    private readonly organisation: EditOrganisation,
    private readonly bindWallet: BindWallet,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  /** Absent fields do not change. @throws DomainError 404 `organisation_not_found`, 403 `not_your_organisation`, `beyond_own_grants`, 409 `organisation_name_taken`, 412, 422 */
  change(actor: Actor, id: string, changes: Partial<NewOrganisation>, expected: ExpectedState = ANY_STATE): Promise<void> {
    return this.organisation.edit(actor, id, async (tx, current) => {
      expected.check(profileOf(current));
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const changed = Organisation.create(actor.tenantId, Object.assign({}, current, given), current.id, current.createdAt);
      if (changed.name !== current.name) await this.organisations.lockNames(tx);
      const namesake = await this.organisations.byName(tx, changed.name);
      if (namesake && namesake.id !== changed.id) throw organisationNameTaken(changed.name);
      await this.organisations.save(tx, changed);
      await this.organisation.record(tx, actor, id, { changed: given });
    });
  }

  /** @throws DomainError as `change`; 429 `quota_exceeded` */
  addSite(actor: Actor, id: string, input: NewSite): Promise<Site> {
    return this.organisation.edit(actor, id, async (tx) => {
      const site = createSite({ tenantId: actor.tenantId, orgId: id, id: newId(), createdAt: this.clock.now() }, input);
      await this.quotas.requireRoom(tx, 'sites', id);
      await this.organisations.insertSite(tx, site);
      await this.organisation.record(tx, actor, id, { siteAdded: { id: site.id, name: site.name } });
      return site;
    });
  }

  /** @throws DomainError 404 `site_not_found`, 409 `site_in_use` */
  removeSite(actor: Actor, id: string, siteId: string): Promise<void> {
    return this.organisation.edit(actor, id, async (tx) => {
      if (!isUuid(siteId)) throw siteNotFound();
      if (await this.organisations.hasWallets(tx, siteId)) throw siteInUse();
      if (!(await this.organisations.deleteSite(tx, id, siteId))) throw siteNotFound();
      await this.organisation.record(tx, actor, id, { siteRemoved: siteId });
    });
  }

  /** @throws DomainError as `change`; 409 `wallet_taken`, 404 `site_not_found`, 429 `quota_exceeded` */
  async addWallet(actor: Actor, id: string, wallet: { address: string; siteId?: string | null; label?: string | null }): Promise<void> {
    await this.organisation.edit(actor, id, async (tx) => {
      const { siteId = null } = wallet;
      if (siteId !== null && !(isUuid(siteId) && (await this.organisations.hasSite(tx, id, siteId)))) throw siteNotFound();
      // Their colleagues would prepare transactions for it.
      if (await this.organisations.isWalletOfOthers(tx, id, wallet.address)) throw walletTaken(wallet.address);
    });
    await this.bindWallet.bind(actor.tenantId, { ...wallet, orgId: id });
    await this.organisation.edit(actor, id, (tx) => this.organisation.record(tx, actor, id, { walletAdded: wallet }));
  }

  /** The lots that it held still show its address. @throws DomainError 404 `wallet_not_found`, 409 `wallet_in_use` */
  removeWallet(actor: Actor, id: string, address: string): Promise<void> {
    return this.organisation.edit(actor, id, async (tx, _current, revoke) => {
      if (await this.organisations.isMemberWallet(tx, address)) throw walletInUse();
      if (!(await this.bindWallet.unbindIn(tx, id, address))) throw walletNotFound();
      await revoke(subjectOf.tenant(actor.tenantId));
      await this.organisation.record(tx, actor, id, { walletRemoved: address });
    });
  }
}
