import { type Actor, type Role, reachesProcess, hasRole } from '#kernel';
import { bearerRequired, partialToken, platformAdminRequired, processOutOfScope, roleRequired, tenantRequired } from './errors.js';
import type { TokenUse } from './identity-payload.js';

/** Whoever holds a valid credential. `actor` is there exactly when the credential is for a tenant. */
export type Principal =
  | {
      readonly kind: 'user';
      readonly use: TokenUse;
      readonly userId: string;
      readonly sessionId: string;
      readonly isPlatformAdmin: boolean;
      readonly actor: Actor | null;
      readonly tier?: string;
    }
  | { readonly kind: 'api_key'; readonly actor: Actor; readonly tier?: string };

/** What a route asks; the wire form stands beside the `Access` decorator. */
export type Requirement =
  | 'partial'
  | 'platform'
  | 'member'
  | { readonly bearerOnly: true; readonly roles?: readonly Role[] }
  | { readonly roles: readonly Role[]; readonly bearerOnly?: true };

/** @throws DomainError 403 naming what is missing */
export function admit(principal: Principal, requirement: Requirement): void {
  if (requirement === 'partial' || requirement === 'platform') {
    if (principal.kind === 'api_key') throw bearerRequired();
    if (requirement === 'platform' && !principal.isPlatformAdmin) throw platformAdminRequired();
    return;
  }
  const { actor } = principal;
  if (!actor) throw principal.kind === 'user' && principal.use === 'platform' ? tenantRequired() : partialToken();
  if (requirement === 'member') return;
  if (requirement.bearerOnly && principal.kind === 'api_key') throw bearerRequired();
  if (requirement.roles && !hasRole(actor, ...requirement.roles)) throw roleRequired(requirement.roles);
}

/**
 * Specification §5.4: process-scope grants. Asked before everything else of a request (api-decisions §2).
 * @param among only these roles count, where a process map names who may record
 * @throws DomainError 403 `process_out_of_scope`
 */
export function requireProcess(actor: Actor, processType: string, among?: readonly Role[]): void {
  if (!reachesProcess(actor, processType, among)) throw processOutOfScope(processType);
}
