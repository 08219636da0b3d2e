import type { SystemTx, TenantTx, Tx } from '../unit-of-work/tx.js';

/**
 * How often what the tenant's readers see has changed. Greater after each transaction that landed, corrected, undid, resolved or erased
 * something, or changed an organisation, a site, a wallet or a process map (`persistence.revise_on` in the migrations).
 */
export async function revisionOf(tx: TenantTx): Promise<bigint> {
  const [row] = await tx.sql<{ changes: string }>(
    'select coalesce(sum(changes), 0)::bigint as changes from persistence.revision where tenant_id = $1',
    [tx.tenantId],
  );
  return BigInt(row!.changes);
}

/** Makes the tenant's revision greater: cached answers (`AnswerCache`) are made again, in every process. */
export async function revise(tx: TenantTx): Promise<void> {
  await tx.sql('select persistence.revise($1)', [tx.tenantId]);
}

/** Likewise of several tenants, always in the same order, so that two such transactions do not wait for each other. */
export async function reviseAll(tx: SystemTx, tenantIds: readonly string[]): Promise<void> {
  const each: Tx = tx;
  await each.sql('select persistence.revise(tenant) from (select unnest($1::uuid[]) as tenant order by 1) t', [tenantIds]);
}
