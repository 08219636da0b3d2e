import { Injectable } from '@nestjs/common';
import { type Actor, type Page, type PageRequest, isUuid } from '#kernel';
import { type TenantTx, UnitOfWork, lockForChange, pageOfMapped, rowsOfPage } from '#persistence';
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
    const listing = {
      from: `identity.organisation where tenant_id = $1 and name ilike $2`,
      order: 'name',
      parameters: [actor.tenantId, `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`],
    };
    return this.unitOfWork.read(actor, async (tx) => {
      const { from, parameters } = rowsOfPage(page, listing);
      const [found, places] = await Promise.all([pageOfMapped(tx, page, Organisation, listing), placesOf(tx, from, parameters)]);
      return { ...found, data: found.data.map(places) };
    });
  }

  /** @throws DomainError 404 `organisation_not_found` */
  get(actor: Actor, id: string): Promise<OrganisationRecord> {
    if (!isUuid(id)) return Promise.reject(organisationNotFound());
    const [from, parameters] = ['identity.organisation where tenant_id = $1 and id = $2', [actor.tenantId, id]];
    return this.unitOfWork.read(actor, async (tx) => {
      const [[found], places] = await Promise.all([tx.find(Organisation, from, parameters), placesOf(tx, from, parameters)]);
      if (!found) throw organisationNotFound();
      return places(found);
    });
  }

  async exists(tx: TenantTx, id: string): Promise<boolean> {
    return (await tx.sql('select from identity.organisation where tenant_id = $1 and id = $2', [tx.tenantId, id])).length > 0;
  }

  /** @throws DomainError 404 `organisation_not_found` */
  async lock(tx: TenantTx, id: string): Promise<Organisation> {
    const rows = 'identity.organisation where tenant_id = $1 and id = $2 for update';
    const [found] = isUuid(id) ? await tx.find(Organisation, rows, [tx.tenantId, id]) : [];
    if (!found) throw organisationNotFound();
    return found;
  }

  /** Requests that give a name wait for each other, so that the second one sees that it is taken. */
  lockNames(tx: TenantTx): Promise<void> {
    return lockForChange(tx, 'identity.organisation.name');
  }

  /** By its name, in any case. */
  async byName(tx: TenantTx, name: string): Promise<Organisation | null> {
    const rows = 'identity.organisation where tenant_id = $1 and lower(name) = lower($2)';
    const [found] = await tx.find(Organisation, rows, [tx.tenantId, name]);
    return found ?? null;
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

  async hasSite(tx: TenantTx, orgId: string, siteId: string): Promise<boolean> {
    const sites = await tx.sql('select from identity.site where tenant_id = $1 and id = $2 and org_id = $3', [tx.tenantId, siteId, orgId]);
    return sites.length > 0;
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
}

/** Adds sites and wallets to an organisation. @param from which organisations it may be */
async function placesOf(
  tx: TenantTx,
  from: string,
  parameters: readonly unknown[],
): Promise<(organisation: Organisation) => OrganisationRecord> {
  const own = `tenant_id = $1 and org_id in (select id from ${from})`;
  const [sites, wallets] = await Promise.all([
    tx.find(Site, `identity.site where ${own} order by name`, parameters),
    tx.find(Wallet, `identity.wallet where ${own} order by address`, parameters),
  ]);
  return (organisation) => ({
    organisation,
    sites: sites.filter(({ orgId }) => orgId === organisation.id),
    wallets: wallets.filter(({ orgId }) => orgId === organisation.id),
  });
}
