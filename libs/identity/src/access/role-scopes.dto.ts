import { DomainError } from '#kernel';

/** The DTO accepts any object as `roleScopes`; this checks its lists. @throws DomainError 400 with the pointer */
export function requireScopes(scopes: Readonly<Record<string, unknown>> | undefined): void {
  for (const [role, list] of Object.entries(scopes ?? {})) {
    if (Array.isArray(list) && list.every((glob) => typeof glob === 'string')) continue;
    const message = `roleScopes.${role} must be a list of process keys.`;
    throw new DomainError('malformed_request', 400, message, { errors: [{ pointer: `/roleScopes/${role}`, code: 'wrong_type', message }] });
  }
}
