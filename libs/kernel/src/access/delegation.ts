import { type Actor, requireProcess, type Role, scopeCovers } from './actor.js';
import { type Problem, refusal } from '../requests/problem.js';

/** What a key, a member or a grant may do. */
export interface Rights {
  readonly roles: readonly Role[];
  /** Absent for a role = every process; `[]` = none. */
  readonly roleScopes?: Readonly<Partial<Record<Role, readonly string[]>>>;
  readonly orgId?: string | null;
}

type Scope = readonly string[] | undefined;

/** With a pointer for each right of the request that goes too far; without one where the target has such a right already. */
export const beyondOwnGrants = refusal(
  'beyond_own_grants',
  403,
  (_errors: readonly Problem[]) => 'This goes beyond the processes that your own roles cover.',
  (errors) => (errors.length > 0 ? { errors } : {}),
);

/**
 * docs/spec/reliability.md#delegation: who acts gives nothing that is more than they have. An administrator gives any role within the
 * processes that they administer, and a role of their own within its own scope. Scopes of different roles are never added up.
 * @throws DomainError 403 `beyond_own_grants` with pointers into the request
 */
export function requireGrantable(actor: Actor, rights: Rights): void {
  const problems = beyond(actor, rights);
  if (problems.length > 0) throw beyondOwnGrants(problems);
}

/**
 * The same for a key, member, wallet or secret that exists: nobody takes over or changes one that may do more than they may.
 * @throws DomainError 403 `beyond_own_grants`
 */
export function requireAuthorityOver(actor: Actor, target: Rights): void {
  if (beyond(actor, target).length > 0) throw beyondOwnGrants([]);
}

/**
 * For what applies to the whole tenant, whatever the process: webhooks, rules, passports, recalls, organisations of others.
 * @throws DomainError 403 `beyond_own_grants` unless one of these roles of the actor covers every process
 */
export function requireEveryProcess(actor: Actor, roles: readonly Role[]): void {
  if (!coversEveryProcess(actor, roles)) throw beyondOwnGrants([]);
}

/** Whether one of these roles of the actor covers every process. */
export const coversEveryProcess = (actor: Actor, roles: readonly Role[]): boolean =>
  roles.some((role) => actor.roles.includes(role) && isUnlimited(actor.roleScopes[role]));

/**
 * For what applies to things of several processes: one of the roles covers each. A process that nobody knows (null) is in no narrower scope
 * than every process.
 * @throws DomainError 403 `process_out_of_scope`, `beyond_own_grants`
 */
export function requireProcesses(actor: Actor, roles: readonly Role[], processTypes: Iterable<string | null>): void {
  for (const processType of new Set(processTypes))
    if (processType === null) requireEveryProcess(actor, roles);
    else requireProcess(actor, processType, roles);
}

export const administersEveryProcess = ({ roles, roleScopes = {} }: Rights): boolean =>
  roles.includes('TENANT_ADMIN') && isUnlimited(roleScopes.TENANT_ADMIN);

function beyond(actor: Actor, { roles, roleScopes = {}, orgId = null }: Rights): Problem[] {
  const problems: Problem[] = [];
  const add = (pointer: string): number => problems.push({ pointer, code: 'beyond_your_scope', message: BEYOND });
  for (const role of roles) {
    const own = scopesOf(actor, role);
    const scope = roleScopes[role];
    if (scope === undefined) {
      if (!own.some(isUnlimited)) add(`/roleScopes/${role}`);
    } else for (const [i, glob] of scope.entries()) if (!own.some((outer) => covers(outer, glob))) add(`/roleScopes/${role}/${i}`);
  }
  if (orgId !== null && !mayPlace(actor, roles, orgId)) add('/orgId');
  return problems;
}

/**
 * Whether the actor may give these roles in this organisation. Its ADMIN changes it whatever the process, so only its ADMIN makes another. A
 * TENANT_ADMIN in it would be one step from that, and one who may not change it has no use for the place.
 */
function mayPlace(actor: Actor, roles: readonly Role[], orgId: string): boolean {
  if (administersEveryProcess(actor)) return true;
  const isOwn = orgId === actor.orgId;
  return (isOwn || !roles.includes('TENANT_ADMIN')) && (!roles.includes('ADMIN') || (isOwn && actor.roles.includes('ADMIN')));
}

const BEYOND = 'This goes beyond the processes that you reach yourself.';

/** In which the actor may give this role: as an administrator, and as its holder. */
const scopesOf = (actor: Actor, role: Role): Scope[] =>
  [...new Set<Role>(['TENANT_ADMIN', role])].filter((held) => actor.roles.includes(held)).map((held) => actor.roleScopes[held]);

const isUnlimited = (scope: Scope): boolean => scope === undefined || scope.includes('*');

const covers = (scope: Scope, glob: string): boolean => scope === undefined || scope.some((outer) => contains(outer, glob));

/** Whether everything that `inner` matches is matched by `outer`. */
function contains(outer: string, inner: string): boolean {
  const [star, innerStar] = [outer.indexOf('*'), inner.indexOf('*')];
  if (innerStar < 0) return scopeCovers([outer], inner);
  if (star < 0) return false;
  return inner.slice(0, innerStar).startsWith(outer.slice(0, star)) && inner.slice(innerStar + 1).endsWith(outer.slice(star + 1));
}
