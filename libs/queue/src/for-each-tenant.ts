import { EngineUnavailable } from '#kernel';

/**
 * Works for one tenant after the other. A failure of one does not keep the next ones waiting; an engine that is away is away for all of
 * them.
 * @param signal starts no further tenant once it aborts
 * @throws EngineUnavailable at once; AggregateError after the last tenant, with each failure and its tenant
 */
export async function forEachTenant<Tenant extends { readonly tenantId: string }>(
  tenants: Iterable<Tenant>,
  signal: AbortSignal,
  work: (tenant: Tenant) => Promise<unknown>,
): Promise<void> {
  const failures: Error[] = [];
  for (const tenant of tenants) {
    if (signal.aborted) break;
    await work(tenant).catch((cause: unknown) => {
      if (cause instanceof EngineUnavailable) throw cause;
      failures.push(new Error(`tenant ${tenant.tenantId}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause }));
    });
  }
  // The message and cause of the first failure, for logs that print no more than those.
  if (failures.length > 0) throw new AggregateError(failures, `failed for some tenants: ${failures[0]!.message}`, { cause: failures[0] });
}
