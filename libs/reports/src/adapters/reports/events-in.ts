import type { TenantTx } from '#persistence';
import type { Scope } from '../../ports.js';

/**
 * The condition on events `e` (with their time as `e.at`) that lie in a report's scope. Text and parameters are the same shape for every
 * scope, so that it stays one named statement. @param before parameters that are there already, the tenant first
 */
export function eventsIn(
  tx: TenantTx,
  { from, to, organisation, processes }: Pick<Scope, 'from' | 'to' | 'organisation' | 'processes'>,
  before: readonly unknown[] = [tx.tenantId],
): { readonly where: string; readonly parameters: unknown[] } {
  const parameters: unknown[] = [...before];
  const all = ['e.tenant_id = $1'];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== null) all.push(condition(`$${parameters.push(value)}`));
  };
  add((at) => `e.at >= ${at}::timestamptz`, from);
  add((at) => `e.at < ${at}::timestamptz`, to);
  add((orgId) => `e.org_id = ${orgId}`, organisation?.orgId ?? null);
  add((patterns) => `e.process_type like any(${patterns}::text[])`, processes);
  return { where: all.join(' and '), parameters };
}
