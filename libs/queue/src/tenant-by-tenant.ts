import { EngineUnavailable } from '#kernel';

/**
 * Each tenant in its turn. What fails for one keeps none of those behind it waiting, turn after turn; an engine that is away is away for
 * all of them.
 * @param leaving begins no other tenant
 * @throws EngineUnavailable at once; AggregateError when all had their turn, with what failed and for whom
 */
export async function tenantByTenant<Tenant extends { readonly tenantId: string }>(
  tenants: Iterable<Tenant>,
  leaving: AbortSignal,
  work: (tenant: Tenant) => Promise<unknown>,
): Promise<void> {
  const failures: Error[] = [];
  for (const tenant of tenants) {
    if (leaving.aborted) break;
    await work(tenant).catch((cause: unknown) => {
      if (cause instanceof EngineUnavailable) throw cause;
      failures.push(new Error(`tenant ${tenant.tenantId}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause }));
    });
  }
  // Whoever logs it whole tells of the first, at least.
  if (failures.length > 0) throw new AggregateError(failures, `left over: ${failures[0]!.message}`, { cause: failures[0] });
}
