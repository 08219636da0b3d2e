import { Injectable } from '@nestjs/common';
import { ILike } from 'typeorm';
import { type Actor, type Page, type PageRequest, type Role, isUuid, keccakOf, pageFrom } from '#kernel';
import { type TenantTx, UnitOfWork, pageOf } from '#persistence';
import { ChainGrants } from '../../administration.ports.js';
import { ProcessDirectory, Tenants } from '../../contract.js';
import { ApiKey } from '../../domain/api-key.js';
import { type ChainGrant, NO_GRANT, type ProcessRecorders, agrees, chainRoleNames, wantedGrant } from '../../domain/chain-grant.js';
import { memberNotFound, organisationNotFound, tenantNotFound } from '../../domain/errors.js';
import type { RoleScopes } from '../../domain/member.js';
import { Organisation, Site } from '../../domain/organisation.js';
import { Tenant } from '../../domain/tenant.js';
import { Wallet } from '../../domain/wallet.js';

export interface MemberRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly roleScopes: RoleScopes;
  readonly wallet: string | null;
  readonly orgId: string | null;
  readonly orgName: string | null;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** Null where there is no wallet or no contract. */
  readonly onChain: { readonly roles: readonly string[]; readonly processes: readonly string[]; readonly agrees: boolean } | null;
}

export interface OrganisationRecord {
  readonly organisation: Organisation;
  readonly sites: readonly Site[];
  readonly wallets: readonly Wallet[];
}

export interface TenantRecord {
  readonly tenant: Tenant;
  readonly contract: string | null;
  readonly contractVersion: number | null;
}

interface MemberFilter {
  readonly status: 'active' | 'removed' | 'all';
  readonly search: string;
}

type MemberRow = Omit<MemberRecord, 'onChain'>;

const MEMBER = `u.id, u.email, u.name, m.roles, m.role_scopes as "roleScopes", m.wallet, m.org_id as "orgId", o.name as "orgName",
  m.created_at as "createdAt", m.revoked_at as "revokedAt"`;
const MEMBERS = `identity.member m join identity.app_user u on u.id = m.user_id
  left join identity.organisation o on o.tenant_id = m.tenant_id and o.id = m.org_id where m.tenant_id = $1`;

/** What administrators look at. Names and e-mails of users are the system's, so members are read as the system, by tenant. */
@Injectable()
export class AdministrationQueries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tenants: Tenants,
    private readonly processes: ProcessDirectory,
    private readonly chainGrants: ChainGrants,
  ) {}

  /** @param filter `search`: part of the e-mail or the name; empty finds all */
  async members(tenantId: string, { status, search }: MemberFilter, page: PageRequest): Promise<Page<MemberRecord>> {
    const found = await this.unitOfWork.asSystem((tx) =>
      pageOf<MemberRow>(tx, page, {
        columns: MEMBER,
        from: `${MEMBERS} and ($2 = 'all' or ($2 = 'active') = (m.revoked_at is null))
          and position(lower($3) in lower(u.email || ' ' || u.name)) > 0`,
        order: 'u.email',
        parameters: [tenantId, status, search],
      }),
    );
    return { ...found, data: await this.withChain(tenantId, found.data) };
  }

  /** Removed ones too. @throws DomainError 404 `member_not_found` */
  async member(tenantId: string, userId: string): Promise<MemberRecord> {
    const [row] = isUuid(userId)
      ? await this.unitOfWork.asSystem((tx) => tx.sql<MemberRow>(`select ${MEMBER} from ${MEMBERS} and m.user_id = $2`, [tenantId, userId]))
      : [];
    if (!row) throw memberNotFound();
    return (await this.withChain(tenantId, [row]))[0]!;
  }

  apiKeys(actor: Actor, page: PageRequest): Promise<Page<ApiKey>> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const [data, total] = await tx.repository(ApiKey).findAndCount({
        where: { tenantId: actor.tenantId },
        order: { createdAt: 'DESC', id: 'ASC' },
        take: page.limit,
        skip: (page.page - 1) * page.limit,
      });
      return pageFrom(data, total, page);
    });
  }

  /** @param search part of the name; empty finds all */
  organisations(actor: Actor, search: string, page: PageRequest): Promise<Page<OrganisationRecord>> {
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
  organisation(actor: Actor, id: string): Promise<OrganisationRecord> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const found = isUuid(id) ? await tx.repository(Organisation).findOneBy({ tenantId: actor.tenantId, id }) : null;
      if (!found) throw organisationNotFound();
      return (await this.withPlaces(tx, [found]))[0]!;
    });
  }

  async platformTenants(page: PageRequest): Promise<Page<TenantRecord>> {
    const [found, total] = await this.unitOfWork.asSystem((tx) =>
      tx.repository(Tenant).findAndCount({ order: { slug: 'ASC' }, take: page.limit, skip: (page.page - 1) * page.limit }),
    );
    return pageFrom(await Promise.all(found.map((tenant) => this.withContract(tenant))), total, page);
  }

  /** @throws DomainError 404 `tenant_not_found` */
  async platformTenant(slugOrId: string): Promise<TenantRecord> {
    const tenant = await this.unitOfWork.asSystem((tx) =>
      tx.repository(Tenant).findOneBy(isUuid(slugOrId) ? { id: slugOrId } : { slug: slugOrId }),
    );
    if (!tenant) throw tenantNotFound();
    return this.withContract(tenant);
  }

  private async withContract(tenant: Tenant): Promise<TenantRecord> {
    const { contract, contractVersion } = await this.tenants.byId(tenant.id);
    return { tenant, contract, contractVersion };
  }

  private async withPlaces(tx: TenantTx, organisations: readonly Organisation[]): Promise<OrganisationRecord[]> {
    const ids = [tx.tenantId, organisations.map(({ id }) => id)];
    const sites = await tx
      .repository(Site)
      .createQueryBuilder('s')
      .where('s.tenant_id = :t and s.org_id = any(:ids)', { t: ids[0], ids: ids[1] })
      .orderBy('s.name')
      .getMany();
    const wallets = await tx
      .repository(Wallet)
      .createQueryBuilder('w')
      .where('w.tenant_id = :t and w.org_id = any(:ids)', { t: ids[0], ids: ids[1] })
      .orderBy('w.address')
      .getMany();
    return organisations.map((organisation) => ({
      organisation,
      sites: sites.filter(({ orgId }) => orgId === organisation.id),
      wallets: wallets.filter(({ orgId }) => orgId === organisation.id),
    }));
  }

  private async withChain(tenantId: string, rows: readonly MemberRow[]): Promise<MemberRecord[]> {
    const { contract } = await this.tenants.byId(tenantId);
    const wallets = rows.flatMap(({ wallet }) => wallet ?? []);
    if (contract === null || wallets.length === 0) return rows.map((row) => ({ ...row, onChain: null }));
    return this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const processes = await this.processes.processes(tx);
      const grants = await this.chainGrants.of(tx, contract, wallets);
      return rows.map((row) => ({
        ...row,
        onChain: row.wallet === null ? null : onChain(row, grants.get(row.wallet) ?? NO_GRANT, processes),
      }));
    });
  }
}

function onChain(row: MemberRow, standing: ChainGrant, processes: readonly ProcessRecorders[]): MemberRecord['onChain'] {
  const wanted = row.revokedAt ? NO_GRANT : wantedGrant(row.roles, row.roleScopes, processes);
  const names = new Map(processes.map(({ processType }) => [keccakOf(processType), processType]));
  return {
    roles: chainRoleNames(standing.roles),
    processes: [...standing.processIds].map((id) => names.get(id) ?? id).toSorted(),
    agrees: agrees(wanted, standing),
  };
}
