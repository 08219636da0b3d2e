import { Injectable } from '@nestjs/common';
import { ILike } from 'typeorm';
import { type Actor, type Page, type PageRequest, isUuid, pageFrom } from '#kernel';
import { type TenantTx, UnitOfWork, lockForChange } from '#persistence';
import { organisationNotFound } from '../errors.js';
import { Wallet } from '../wallets/wallet.js';
import { Organisation, Site } from './organisation.js';

export interface OrganisationRecord {
  readonly organisation: Organisation;
  readonly sites: readonly Site[];
  readonly wallets: readonly Wallet[];
}

@Injectable()
export class OrganisationsQueries {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @param search part of the name; empty finds all */
  list(actor: Actor, search: string, page: PageRequest): Promise<Page<OrganisationRecord>> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const { tenantId } = actor;
      const [found, total] = await tx.repository(Organisation).findAndCount({
        where: { tenantId, ...(search !== '' && { name: ILike(`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`) }) },
        order: { name: 'ASC' },
        take: page.limit,
        skip: (page.page - 1) * page.limit,
      });
      return pageFrom(await this.withPlaces(tx, found), total, page);
    });
  }

  /** @throws DomainError 404 `organisation_not_found` */
  get(actor: Actor, id: string): Promise<OrganisationRecord> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const found = isUuid(id) ? await tx.repository(Organisation).findOneBy({ tenantId: actor.tenantId, id }) : null;
      if (!found) throw organisationNotFound();
      return (await this.withPlaces(tx, [found]))[0]!;
    });
  }

  exists(tx: TenantTx, id: string): Promise<boolean> {
    return tx.repository(Organisation).existsBy({ tenantId: tx.tenantId, id });
  }

  /** @throws DomainError 404 `organisation_not_found` */
  async lock(tx: TenantTx, id: string): Promise<Organisation> {
    const found = isUuid(id)
      ? await tx.repository(Organisation).findOne({ where: { tenantId: tx.tenantId, id }, lock: { mode: 'pessimistic_write' } })
      : null;
    if (!found) throw organisationNotFound();
    return found;
  }

  /** Requests that give a name wait for each other, so that the second one sees that it is taken. */
  lockNames(tx: TenantTx): Promise<void> {
    return lockForChange(tx, 'identity.organisation.name');
  }

  /** By its name, in any case. */
  async byName(tx: TenantTx, name: string): Promise<Organisation | null> {
    const [row] = await tx.sql<{ id: string }>('select id from identity.organisation where tenant_id = $1 and lower(name) = lower($2)', [
      tx.tenantId,
      name,
    ]);
    return row ? tx.repository(Organisation).findOneBy({ tenantId: tx.tenantId, id: row.id }) : null;
  }

  /** False when the name is taken. */
  async insert(tx: TenantTx, organisation: Organisation): Promise<boolean> {
    const inserted = await tx
      .repository(Organisation)
      .createQueryBuilder()
      .insert()
      .values(organisation as never)
      .orIgnore()
      .returning('id')
      .execute();
    return (inserted.raw as unknown[]).length > 0;
  }

  async save(tx: TenantTx, organisation: Organisation): Promise<void> {
    await tx.repository(Organisation).save(organisation as never);
  }

  hasSite(tx: TenantTx, orgId: string, siteId: string): Promise<boolean> {
    return tx.repository(Site).existsBy({ tenantId: tx.tenantId, id: siteId, orgId });
  }

  async insertSite(tx: TenantTx, site: Site): Promise<void> {
    await tx.repository(Site).insert(site as never);
  }

  /** False when the organisation has no such site. */
  async deleteSite(tx: TenantTx, orgId: string, siteId: string): Promise<boolean> {
    const { affected } = await tx.repository(Site).delete({ tenantId: tx.tenantId, id: siteId, orgId });
    return Boolean(affected);
  }

  async hasWallets(tx: TenantTx, siteId: string): Promise<boolean> {
    const wallets = await tx.sql('select 1 from identity.wallet where tenant_id = $1 and site_id = $2 limit 1', [tx.tenantId, siteId]);
    return wallets.length > 0;
  }

  /** Whether a member who is not of this organisation has the wallet. */
  async isWalletOfOthers(tx: TenantTx, orgId: string, address: string): Promise<boolean> {
    const members = await tx.sql(
      `select 1 from identity.member m left join identity.wallet w on w.tenant_id = m.tenant_id and w.address = $3 and w.user_id = m.user_id
       where m.tenant_id = $1 and m.revoked_at is null and m.org_id is distinct from $2::uuid
         and (m.wallet = $3 or w.address is not null) limit 1`,
      [tx.tenantId, orgId, address],
    );
    return members.length > 0;
  }

  async isMemberWallet(tx: TenantTx, address: string): Promise<boolean> {
    const members = await tx.sql('select 1 from identity.member where tenant_id = $1 and wallet = $2 and revoked_at is null', [
      tx.tenantId,
      address,
    ]);
    return members.length > 0;
  }

  private async withPlaces(tx: TenantTx, organisations: readonly Organisation[]): Promise<OrganisationRecord[]> {
    const parameters = { t: tx.tenantId, ids: organisations.map(({ id }) => id) };
    const sites = await tx
      .repository(Site)
      .createQueryBuilder('s')
      .where('s.tenant_id = :t and s.org_id = any(:ids)', parameters)
      .orderBy('s.name')
      .getMany();
    const wallets = await tx
      .repository(Wallet)
      .createQueryBuilder('w')
      .where('w.tenant_id = :t and w.org_id = any(:ids)', parameters)
      .orderBy('w.address')
      .getMany();
    return organisations.map((organisation) => ({
      organisation,
      sites: sites.filter(({ orgId }) => orgId === organisation.id),
      wallets: wallets.filter(({ orgId }) => orgId === organisation.id),
    }));
  }
}
