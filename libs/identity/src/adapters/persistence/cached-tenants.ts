import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { type TenantView, Tenants } from '../../contract.js';
import { tenantHasNoContract, tenantNotFound } from '../../domain/errors.js';
import { IdentitySettings } from '../../settings.js';

const CACHE_MS = 1_000;

interface Row {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly on_chain_tenant_id: string;
  readonly contract: string | null;
  readonly contract_version: number | null;
}

@Injectable()
export class CachedTenants extends Tenants {
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
    // A failure is not remembered; those who asked meanwhile share it.
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

  private async load(tenantId: string): Promise<TenantView> {
    const [row] = await this.unitOfWork.asSystem((tx) =>
      tx.sql<Row>(
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
