import type { TenantTx } from './tx.js';

/**
 * Changes of one thing of the tenant wait for each other until the transaction ends. For what may have no row yet; a row that exists is
 * locked itself.
 * @param name of the thing, with its schema: `traceability.tenant_rules`
 */
export async function lockForChange(tx: TenantTx, name: string): Promise<void> {
  await tx.sql(`select pg_advisory_xact_lock(hashtextextended($1 || ':' || $2, 0))`, [name, tx.tenantId]);
}
