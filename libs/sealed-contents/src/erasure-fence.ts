import type { TenantTx } from '#persistence';

/**
 * For a transaction that writes what it reads of contents into another row: until it ends, nothing of the tenant is erased. Call it first, so that
 * no value that is read after it can be erased before it is written.
 */
export async function holdErasures(tx: TenantTx): Promise<void> {
  await tx.sql('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [lockOf(tx)]);
}

/** For who erases: one erasure of a tenant at a time, and none while a transaction writes what it read of contents. */
export async function lockErasures(tx: TenantTx): Promise<void> {
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lockOf(tx)]);
}

/** How many erasures of the tenant are committed, in the snapshot in which somebody reads what another transaction is to write. */
export async function erasuresSeen(tx: TenantTx): Promise<number> {
  const [row] = await tx.sql<{ count: number }>('select count(*)::int as count from keys.erasure where tenant_id = $1', [tx.tenantId]);
  return row!.count;
}

/**
 * Like `holdErasures`, where it was read before this transaction. It waits for no erasure: requests that wait would take the connections that
 * the erasure needs. @returns false where values are erased now, or were since: it must be read again
 */
export async function holdErasuresSince(tx: TenantTx, seen: number): Promise<boolean> {
  const [lock] = await tx.sql<{ held: boolean }>('select pg_try_advisory_xact_lock_shared(hashtextextended($1, 0)) as held', [lockOf(tx)]);
  return lock!.held && (await erasuresSeen(tx)) === seen;
}

const lockOf = ({ tenantId }: TenantTx): string => `erasure ${tenantId}`;
