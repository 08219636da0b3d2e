import { type Problem, ROLES, type Role, invalidContent, isChecksumAddress } from '#kernel';

export type RoleScopes = Readonly<Partial<Record<Role, readonly string[]>>>;

/** What an administrator grants to a user or key. */
export interface Grants {
  readonly roles: readonly Role[];
  /** Absent for a role = every process; `[]` = none. */
  readonly roleScopes?: RoleScopes;
  readonly orgId?: string | null;
  /** EIP-55. */
  readonly wallet?: string | null;
}

const GLOB = /^[A-Za-z0-9_.-]*\*?[A-Za-z0-9_.-]*$/;
const MAX_SCOPE = 200;

/** @throws DomainError 422 `invalid_content` with a pointer for each fault */
export function checkGrants({ roles, roleScopes = {}, wallet = null }: Grants): void {
  const problems: Problem[] = [];
  for (const [i, role] of roles.entries())
    if (!ROLES.includes(role))
      problems.push({ pointer: `/roles/${i}`, code: 'not_allowed', message: `The roles are ${ROLES.join(', ')}.` });
  for (const [role, scope] of Object.entries(roleScopes)) {
    const pointer = `/roleScopes/${role}`;
    if (!roles.includes(role as Role)) problems.push({ pointer, code: 'not_allowed', message: `${role} is not one of the granted roles.` });
    else if (scope.length > MAX_SCOPE) problems.push({ pointer, code: 'wrong_length', message: `At most ${MAX_SCOPE} processes.` });
    for (const [i, glob] of scope.entries())
      if (glob === '' || !GLOB.test(glob))
        problems.push({ pointer: `${pointer}/${i}`, code: 'wrong_format', message: 'A process key, with at most one * in it.' });
  }
  if (wallet !== null && !isChecksumAddress(wallet))
    problems.push({ pointer: '/wallet', code: 'invalid_address', message: 'An address in its EIP-55 form.' });
  if (problems.length > 0) throw invalidContent(problems);
}
