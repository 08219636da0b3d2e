import { Injectable, Logger } from '@nestjs/common';
import { type Actor, type Page, type PageRequest, isUuid, reportOf } from '#kernel';
import { type TenantTx, UnitOfWork, pageOfMapped } from '#persistence';
import { apiKeyNotFound } from '../errors.js';
import { type Environment, Tenant } from '../tenants/tenant.js';
import { ApiKey } from './api-key.js';

/** The use of a key is recorded at most this often. */
const RECORD_EVERY_MS = 60_000;

@Injectable()
export class ApiKeysQueries {
  private readonly log = new Logger('Identity');
  private readonly recorded = new Map<string, number>();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  list(actor: Actor, page: PageRequest): Promise<Page<ApiKey>> {
    return this.unitOfWork.read(actor, (tx) =>
      pageOfMapped(tx, page, ApiKey, {
        from: 'identity.api_key where tenant_id = $1',
        order: 'created_at desc, id',
        parameters: [tx.tenantId],
      }),
    );
  }

  /** @throws DomainError 404 `api_key_not_found` */
  async lock(tx: TenantTx, id: string): Promise<ApiKey> {
    const [key] = isUuid(id)
      ? await tx.find(ApiKey, 'identity.api_key where tenant_id = $1 and id = $2 for update', [tx.tenantId, id])
      : [];
    if (!key) throw apiKeyNotFound();
    return key;
  }

  /** Null for an unknown tenant. */
  async environment(tx: TenantTx): Promise<Environment | null> {
    const [tenant] = await tx.find(Tenant, 'identity.tenant where id = $1', [tx.tenantId]);
    return tenant?.environment ?? null;
  }

  async hasOrganisation(tx: TenantTx, orgId: string): Promise<boolean> {
    if (!isUuid(orgId)) return false;
    return (await tx.sql('select from identity.organisation where tenant_id = $1 and id = $2', [tx.tenantId, orgId])).length > 0;
  }

  async insert(tx: TenantTx, key: ApiKey): Promise<void> {
    await tx.repository(ApiKey).insert(key);
  }

  async save(tx: TenantTx, key: ApiKey): Promise<void> {
    await tx.repository(ApiKey).save(key);
  }

  /** Records when a key was last used, to the minute. The request does not wait for it. */
  recordUse(tenantId: string, keyId: string): void {
    const now = performance.now();
    if (now - (this.recorded.get(keyId) ?? Number.NEGATIVE_INFINITY) < RECORD_EVERY_MS) return;
    this.recorded.delete(keyId);
    this.recorded.set(keyId, now);
    for (const [id, at] of this.recorded) {
      if (now - at < RECORD_EVERY_MS) break;
      this.recorded.delete(id);
    }
    void this.unitOfWork
      .write({ tenantId }, (tx) =>
        tx.sql(
          `update identity.api_key set last_used_at = now()
           where tenant_id = $1 and id = $2 and (last_used_at is null or last_used_at <= now() - interval '1 minute')`,
          [tenantId, keyId],
        ),
      )
      .catch((error: Error) => this.log.warn(`the use of an API key was not recorded: ${reportOf(error)}`));
  }
}
