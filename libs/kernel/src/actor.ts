/** Roles of the specification, §5.4. What each may do is the table of api-decisions §2. */
export const ROLES = ['OPERATOR', 'ADMIN', 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] as const;
export type Role = (typeof ROLES)[number];

/** Whose data a piece of work may see. Every transaction on tenant data is opened for one. */
export interface TenantScope {
  readonly tenantId: string;
}

/**
 * Who is calling, in which tenant, with which rights: placed by the access guard, asked by use cases.
 * `roleScopes` maps a role to process type keys or globs with one `*`; a role that is absent there is not narrowed.
 */
export interface Actor extends TenantScope {
  readonly kind: 'user' | 'api_key';
  /** User id or API key id. */
  readonly id: string;
  readonly tenantSlug: string;
  readonly roles: readonly Role[];
  readonly roleScopes: Readonly<Partial<Record<Role, readonly string[]>>>;
  readonly orgId: string | null;
  /** EIP-55. The sender of prepared transactions unless the request names another one of `wallets`. */
  readonly wallet: string | null;
  /** Every address the caller may prepare for: its own, its organisation's, or those bound to its key. */
  readonly wallets: readonly string[];
}

export const hasRole = (actor: Actor, ...any: readonly Role[]): boolean => any.some((role) => actor.roles.includes(role));

/** Whether one of the actor's roles (of `among`, where given) reaches this process: specification §5.4, process-scope grants. */
export function reachesProcess(actor: Actor, processType: string, among: readonly Role[] = ROLES): boolean {
  return actor.roles.some((role) => among.includes(role) && scopeCovers(actor.roleScopes[role], processType));
}

/** Absent = every process, `[]` = none, else exact keys or globs with one `*` (`wool_*`). */
export function scopeCovers(scope: readonly string[] | undefined, processType: string): boolean {
  return scope === undefined || scope.some((glob) => globMatches(glob, processType));
}

function globMatches(glob: string, key: string): boolean {
  const star = glob.indexOf('*');
  if (star < 0) return glob === key;
  const [head, tail] = [glob.slice(0, star), glob.slice(star + 1)];
  return key.length >= head.length + tail.length && key.startsWith(head) && key.endsWith(tail);
}
