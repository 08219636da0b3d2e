import { type Problem, type Role, invalidContent, scopeCovers } from '#kernel';
import type { Grants, RoleScopes } from './member.js';

interface Reach {
  readonly roles: readonly Role[];
  readonly roleScopes: RoleScopes;
}

/**
 * A tenant administrator hands out any role, but no process that they do not reach themselves (reliability-decisions §3.3).
 * @throws DomainError 422 with the pointer of each scope that goes further
 */
export function checkDelegation(from: Reach, { roles, roleScopes = {} }: Grants): void {
  const reach = from.roles.map((role) => from.roleScopes[role]);
  if (reach.some((scope) => scope === undefined || scope.includes('*'))) return;
  const globs = reach.flatMap((scope) => scope ?? []);
  const problems: Problem[] = [];
  const beyond = (pointer: string): number => problems.push({ pointer, code: 'beyond_your_scope', message: BEYOND });
  for (const role of roles) {
    const scope = roleScopes[role];
    if (scope === undefined) beyond(`/roleScopes/${role}`);
    else for (const [i, glob] of scope.entries()) if (!globs.some((outer) => contains(outer, glob))) beyond(`/roleScopes/${role}/${i}`);
  }
  if (problems.length > 0) throw invalidContent(problems);
}

const BEYOND = 'This goes beyond the processes that you reach yourself.';

/** Whether everything that `inner` matches is matched by `outer`. */
function contains(outer: string, inner: string): boolean {
  const [star, innerStar] = [outer.indexOf('*'), inner.indexOf('*')];
  if (innerStar < 0) return scopeCovers([outer], inner);
  if (star < 0) return false;
  return inner.slice(0, innerStar).startsWith(outer.slice(0, star)) && inner.slice(innerStar + 1).endsWith(outer.slice(star + 1));
}
