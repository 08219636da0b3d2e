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

export interface DocumentsIn {
  readonly whole: string;
  readonly some: string;
}

/**
 * Conditions on documents `w` with what their uses say together: whether all of these lie in the scope, and whether some may. Same parameters
 * as `eventsIn`.
 */
export function documentsIn({ from, to, organisation, processes }: Scope, before = 1): DocumentsIn {
  const [whole, some] = [['true'], ['true']];
  let place = before;
  const add = (value: unknown, conditions: (parameter: string) => readonly [string, string]): void => {
    if (value === null) return;
    const [all, any] = conditions(`$${++place}`);
    whole.push(all);
    some.push(any);
  };
  const only = (said: string, is: string): readonly [string, string] => [`w.${said} and ${is}`, `(not w.${said} or ${is})`];
  add(from, (at) => [`w.first_at >= ${at}::timestamptz`, `w.last_at >= ${at}::timestamptz`]);
  add(to, (at) => [`w.last_at < ${at}::timestamptz`, `w.first_at < ${at}::timestamptz`]);
  add(organisation, (orgId) => only('one_org', `coalesce(w.org_id = ${orgId}, false)`));
  add(processes, (patterns) => only('one_process', `coalesce(w.process_type like any(${patterns}::text[]), false)`));
  return { whole: `(${whole.join(' and ')})`, some: `(${some.join(' and ')})` };
}
