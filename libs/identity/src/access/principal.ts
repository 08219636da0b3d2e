import { type Actor, requireEveryProcess, requireRole, type Role } from '#kernel';
import { bearerRequired, partialToken, platformAdminRequired, tenantRequired } from '../errors.js';

/** What an access token is good for: a tenant (`full`), choosing one (`partial`), or the platform's own routes. */
export type TokenUse = 'full' | 'partial' | 'platform';

/** The holder of a valid credential. `actor` is set exactly when the credential is for a tenant. */
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

export type BearerPrincipal = Extract<Principal, { kind: 'user' }>;

/** What a credential depends on. A change of one subject invalidates the cached principals of the credential. */
export const subjectOf = {
  session: (sessionId: string): string => `session:${sessionId}`,
  user: (userId: string): string => `user:${userId}`,
  member: (tenantId: string, userId: string): string => `member:${tenantId}:${userId}`,
  apiKey: (keyId: string): string => `key:${keyId}`,
  /** Its status, its tier, and the wallets of its organisations. */
  tenant: (tenantId: string): string => `tenant:${tenantId}`,
};

export function subjectsOf(principal: Principal): string[] {
  const tenant = principal.actor ? [subjectOf.tenant(principal.actor.tenantId)] : [];
  if (principal.kind === 'api_key') return [subjectOf.apiKey(principal.actor.id), ...tenant];
  const member = principal.actor ? [subjectOf.member(principal.actor.tenantId, principal.userId)] : [];
  return [subjectOf.session(principal.sessionId), subjectOf.user(principal.userId), ...member, ...tenant];
}

/** What a route requires of its caller. The `Access` decorator of #http declares the same shape. */
export type Requirement =
  | 'partial'
  | 'platform'
  | 'member'
  | { readonly bearerOnly: true; readonly roles?: readonly Role[] }
  | { readonly roles: readonly Role[]; readonly bearerOnly?: true; readonly everyProcess?: true };

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
  if (requirement.roles) requireRole(actor, requirement.roles);
  if ('everyProcess' in requirement && requirement.everyProcess) requireEveryProcess(actor, requirement.roles);
}
