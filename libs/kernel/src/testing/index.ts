import type { Actor, Role } from '../access/actor.js';

/** A user of the tenant `rice` without a wallet, an organisation or scopes. */
export const testActor = (roles: readonly Role[], more: Partial<Actor> = {}): Actor => ({
  kind: 'user',
  id: 'u',
  tenantId: 't',
  tenantSlug: 'rice',
  roles,
  roleScopes: {},
  orgId: null,
  wallet: null,
  wallets: [],
  ...more,
});

/** The code of the refusal that `work` throws; `ok` when it throws nothing. */
export function refusalOf(work: () => unknown): string {
  try {
    work();
    return 'ok';
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}
