import { isChecksumAddress } from '../values/evm.js';
import { DomainError, refusal } from '../requests/problem.js';

/** Roles of the docs/spec/service.md#roles-and-scopes. What each may do is the table of docs/spec/api.md#identity. */
export const ROLES = ['OPERATOR', 'ADMIN', 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] as const;
export type Role = (typeof ROLES)[number];

/** The tenant whose data an operation may access. Every transaction on tenant data is opened for one. */
export interface TenantScope {
  readonly tenantId: string;
}

/**
 * Who is calling, in which tenant, with which rights. The access guard sets it and use cases read it. `roleScopes` maps a role to process
 * type keys or globs with one `*`; a role without an entry is not restricted.
 */
export interface Actor extends TenantScope {
  readonly kind: 'user' | 'api_key';
  /** User id or API key id. */
  readonly id: string;
  readonly tenantSlug: string;
  readonly roles: readonly Role[];
  readonly roleScopes: Readonly<Partial<Record<Role, readonly string[]>>>;
  readonly orgId: string | null;
  /** EIP-55. The sender of prepared transactions, unless the request names another one of `wallets`. */
  readonly wallet: string | null;
  /** Every address for which the caller may prepare transactions: its own, its organisation's, or those of its API key. */
  readonly wallets: readonly string[];
}

export const hasRole = (actor: Actor, ...any: readonly Role[]): boolean => any.some((role) => actor.roles.includes(role));

/** Whether the scope of one of the actor's roles (if given, only of those in `among`) includes this process: docs/spec/service.md#roles-and-scopes. */
export function reachesProcess(actor: Actor, processType: string, among: readonly Role[] = ROLES): boolean {
  return actor.roles.some((role) => among.includes(role) && scopeCovers(actor.roleScopes[role], processType));
}

/** Undefined = every process, `[]` = none, else exact keys or globs with one `*` (`wool_*`). */
export function scopeCovers(scope: readonly string[] | undefined, processType: string): boolean {
  return scope === undefined || scope.some((glob) => globMatches(glob, processType));
}

function globMatches(glob: string, key: string): boolean {
  const star = glob.indexOf('*');
  if (star < 0) return glob === key;
  const [head, tail] = [glob.slice(0, star), glob.slice(star + 1)];
  return key.length >= head.length + tail.length && key.startsWith(head) && key.endsWith(tail);
}

export const roleRequired = refusal(
  'role_required',
  403,
  (roles: readonly Role[]) => `This requires the role ${roles.join(' or ')}.`,
  (roles) => ({ roles }),
);
export const processOutOfScope = refusal(
  'process_out_of_scope',
  403,
  (processType: string) => `Your process scope does not cover ${processType}.`,
  (processType) => ({ processType }),
);
export const foreignSender = refusal('foreign_sender', 403, (from: string) => `${from} is not a wallet that you may prepare for.`);

/** @throws DomainError 403 `role_required` */
export function requireRole(actor: Actor, roles: readonly Role[]): void {
  if (!hasRole(actor, ...roles)) throw roleRequired(roles);
}

/**
 * docs/spec/service.md#roles-and-scopes: process-scope grants. Asked before everything else of a request (docs/spec/api.md#identity).
 * @param among only these roles count, where a process map names who may record
 * @throws DomainError 403 `role_required` where none of these roles is held, `process_out_of_scope` where its scope is narrower
 */
export function requireProcess(actor: Actor, processType: string, among?: readonly Role[]): void {
  if (reachesProcess(actor, processType, among)) return;
  throw among && among.length > 0 && !hasRole(actor, ...among) ? roleRequired(among) : processOutOfScope(processType);
}

/**
 * The signer of a prepared transaction (docs/spec/api.md#conventions "Sender"): the address that the request names, which must be one
 * of the caller's, or the caller's own wallet. Null when there is neither: then gas is taken from the table.
 * @param from as the request gave it
 * @throws DomainError 400 with the pointer /from for what is not EIP-55, 403 `foreign_sender`
 */
export function senderOf(actor: Actor, from?: string | null): string | null {
  if (from === undefined || from === null) return actor.wallet;
  if (!isChecksumAddress(from)) {
    const message = 'from must be an address in its EIP-55 form.';
    throw new DomainError('malformed_request', 400, message, { errors: [{ pointer: '/from', code: 'invalid_address', message }] });
  }
  if (!actor.wallets.includes(from)) throw foreignSender(from);
  return from;
}
