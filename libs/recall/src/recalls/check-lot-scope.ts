import { type Actor, coversEveryProcess, requireProcesses, type Role } from '#kernel';
import type { TenantTx } from '#persistence';
import type { Lots } from '#traceability';

/**
 * One of the roles covers the process in which each lot was made. Lots are not read for who has a role for every process.
 * @throws DomainError 403 `process_out_of_scope`, `beyond_own_grants`
 */
export async function requireLotScope(
  lots: Lots,
  tx: TenantTx,
  { actor, roles }: { readonly actor: Actor; readonly roles: readonly Role[] },
  tokenIds: readonly bigint[],
): Promise<void> {
  if (!coversEveryProcess(actor, roles)) requireProcesses(actor, roles, (await lots.processesOf(tx, tokenIds)).values());
}
