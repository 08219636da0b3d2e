import { DomainError } from '#kernel';

/** An ISO 8601 instant of a request. @throws DomainError 400 with its pointer */
export function requestTime(text: string | null | undefined, field: string): Date | null {
  if (text === null || text === undefined) return null;
  const time = /^\d{4}-\d{2}-\d{2}(T.+)?$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  const message = `${field} must be an ISO 8601 time.`;
  throw new DomainError('malformed_request', 400, message, { errors: [{ pointer: `/${field}`, code: 'date_time', message }] });
}

/** `roleScopes` is a free-form object to the DTO: its lists are looked at here. @throws DomainError 400 with the pointer */
export function requireScopes(scopes: Readonly<Record<string, unknown>> | undefined): void {
  for (const [role, list] of Object.entries(scopes ?? {})) {
    if (Array.isArray(list) && list.every((glob) => typeof glob === 'string')) continue;
    const message = `roleScopes.${role} must be a list of process keys.`;
    throw new DomainError('malformed_request', 400, message, { errors: [{ pointer: `/roleScopes/${role}`, code: 'wrong_type', message }] });
  }
}
