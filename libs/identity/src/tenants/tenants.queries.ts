import { Injectable, Logger } from '@nestjs/common';
import { ContractDirectory, type RegistryLog } from '#chain';
import { isUuid, type Page, type PageRequest } from '#kernel';
import { type SystemTx, type TenantTx, UnitOfWork, pageOfMapped } from '#persistence';
import { Tenants, type TenantView } from '../contract.js';
import { tenantHasNoContract, tenantNotFound } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import { Tenant } from './tenant.js';

const CACHE_MS = 1_000;

interface ViewRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly on_chain_tenant_id: string;
  readonly contract: string | null;
  readonly contract_version: number | null;
}

export interface TenantRecord {
  readonly tenant: Tenant;
  readonly contract: string | null;
  readonly contractVersion: number | null;
}

@Injectable()
export class TenantsQueries extends Tenants {
  private readonly cache = new Map<string, { readonly view: Promise<TenantView>; readonly at: number }>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: IdentitySettings,
  ) {
    super();
  }

  override byId(tenantId: string): Promise<TenantView> {
    const now = performance.now();
    const known = this.cache.get(tenantId);
    if (known && now - known.at < CACHE_MS) return known.view;
    for (const [id, { at }] of this.cache) {
      if (now - at < CACHE_MS) break;
      this.cache.delete(id);
    }
    // A failure is not cached; callers that wait for the same load share it.
    const view = this.load(tenantId);
    view.catch(() => this.cache.delete(tenantId));
    this.cache.delete(tenantId);
    this.cache.set(tenantId, { view, at: now });
    return view;
  }

  override async contractOf(tenantId: string): Promise<string> {
    const { contract } = await this.byId(tenantId);
    if (contract === null) throw tenantHasNoContract();
    return contract;
  }

  /** For the platform's administrators. */
  async list(page: PageRequest): Promise<Page<TenantRecord>> {
    const found = await this.unitOfWork.readAsSystem((tx) =>
      pageOfMapped(tx, page, Tenant, { from: 'identity.tenant where true', order: 'slug', parameters: [] }),
    );
    return { ...found, data: await Promise.all(found.data.map((tenant) => this.withContract(tenant))) };
  }

  /** @throws DomainError 404 `tenant_not_found` */
  async get(slugOrId: string): Promise<TenantRecord> {
    const tenant = await this.by(isUuid(slugOrId) ? 'id' : 'slug', slugOrId);
    if (!tenant) throw tenantNotFound();
    return this.withContract(tenant);
  }

  bySlug(slug: string): Promise<Tenant | null> {
    return this.by('slug', slug);
  }

  /** False when the slug is taken. */
  async insert(tx: SystemTx, tenant: Tenant): Promise<boolean> {
    const inserted = await tx.repository(Tenant).createQueryBuilder().insert().values(tenant).orIgnore().returning('id').execute();
    return (inserted.raw as unknown[]).length > 0;
  }

  /** @throws DomainError 404 `tenant_not_found` */
  async lock(tx: SystemTx, slugOrId: string): Promise<Pick<Tenant, 'id' | 'status' | 'tier'>> {
    const [tenant] = await tx.sql<Pick<Tenant, 'id' | 'status' | 'tier'>>(
      'select id, status, tier from identity.tenant where slug = $1 or id::text = lower($1) for update',
      [slugOrId],
    );
    if (!tenant) throw tenantNotFound();
    return tenant;
  }

  async update(tx: SystemTx, id: string, changes: Partial<Pick<Tenant, 'status' | 'tier'>>): Promise<void> {
    await tx.repository(Tenant).update({ id }, changes);
  }

  private async by(column: 'id' | 'slug', value: string): Promise<Tenant | null> {
    const [tenant] = await this.unitOfWork.readAsSystem((tx) => tx.find(Tenant, `identity.tenant where ${column} = $1`, [value]));
    return tenant ?? null;
  }

  private async withContract(tenant: Tenant): Promise<TenantRecord> {
    const { contract, contractVersion } = await this.byId(tenant.id);
    return { tenant, contract, contractVersion };
  }

  private async load(tenantId: string): Promise<TenantView> {
    const [row] = await this.unitOfWork.readAsSystem((tx) =>
      tx.sql<ViewRow>(
        `select t.id, t.slug, t.name, t.on_chain_tenant_id, c.address as contract, c.version as contract_version
         from identity.tenant t
         left join lateral (select address, version from identity.tenant_contract where tenant_id = t.id and chain_id = $2
                            order by from_block desc, log_index desc limit 1) c on true
         where t.id = $1`,
        [tenantId, this.settings.chainId],
      ),
    );
    if (!row) throw tenantNotFound();
    const { id, slug, name, contract } = row;
    return { id, slug, name, onChainTenantId: row.on_chain_tenant_id, contract, contractVersion: row.contract_version };
  }
}

/** Joins the registry's contracts to tenants by `keccak256(slug)`. The registry's owner may create other contracts; those are ignored. */
@Injectable()
export class TenantContractsQueries extends ContractDirectory {
  private readonly log = new Logger('Identity');

  override async register(tx: SystemTx, chainId: number, created: readonly RegistryLog[]): Promise<void> {
    if (created.length === 0) return;
    const column = <T>(of: (log: RegistryLog) => T): T[] => created.map(of);
    const joined = await tx.sql<{ address: string }>(
      `insert into identity.tenant_contract (tenant_id, chain_id, address, version, from_block, log_index, tx_hash)
       select t.id, $1, c.address, c.version, c.from_block, c.log_index, c.tx_hash
       from unnest($2::text[], $3::text[], $4::int[], $5::bigint[], $6::int[], $7::text[])
            as c(on_chain_tenant_id, address, version, from_block, log_index, tx_hash)
       join identity.tenant t on t.on_chain_tenant_id = c.on_chain_tenant_id
       on conflict (chain_id, address) do update
         set version = excluded.version, from_block = excluded.from_block, log_index = excluded.log_index, tx_hash = excluded.tx_hash
       returning address`,
      [
        chainId,
        column((log) => log.args.tenantId.toLowerCase()),
        column((log) => log.args.lots),
        column((log) => log.args.version),
        column((log) => log.block.number),
        column((log) => log.logIndex),
        column((log) => log.txHash),
      ],
    );
    const known = new Set(joined.map(({ address }) => address));
    for (const { args, block } of created)
      if (!known.has(args.lots))
        this.log.warn(
          `block ${block.number} created contract ${args.lots} for ${args.tenantId}, which is not a tenant of this database. ` +
            'If this database lost the tenant, create it again under its slug and reindex the chain (cli chain reindex).',
        );
  }

  override async unregister(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    await tx.sql('delete from identity.tenant_contract where chain_id = $1 and from_block > $2', [chainId, lastGoodBlock]);
  }

  override async tenants(tx: SystemTx, chainId: number): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.sql<{ address: string; tenant_id: string }>(
      'select address, tenant_id from identity.tenant_contract where chain_id = $1',
      [chainId],
    );
    return new Map(rows.map(({ address, tenant_id: tenantId }) => [address, tenantId]));
  }

  override async ofTenant(tx: TenantTx, chainId: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ address: string }>('select address from identity.tenant_contract where tenant_id = $1 and chain_id = $2', [
      tx.tenantId,
      chainId,
    ]);
    return rows.map(({ address }) => address);
  }

  override async ownerOf(tx: SystemTx, chainId: number, address: string): Promise<string | null> {
    const [row] = await tx.sql<{ tenant_id: string }>(
      'select tenant_id from identity.tenant_contract where chain_id = $1 and address = $2',
      [chainId, address],
    );
    return row?.tenant_id ?? null;
  }
}
