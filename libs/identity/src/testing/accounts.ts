import { type Account, type Membership, User } from '../accounts/account.js';

/** An accepted operator without a wallet and an organisation. */
export const membership = (slug: string, more: Partial<Membership> = {}): Membership => ({
  tenantId: `id-of-${slug}`,
  slug,
  name: slug,
  onChainTenantId: '0x',
  tenantContractAddress: null,
  roles: ['OPERATOR'],
  roleScopes: {},
  wallet: null,
  proposedWallet: null,
  invitedName: null,
  accepted: true,
  org: null,
  ...more,
});

/** Of a@b.example, who has no name. */
export const account = (memberships: readonly Membership[], { name = '', platformAdmin = false } = {}): Account => ({
  user: User.create({ email: 'a@b.example', name, platformAdmin }, null, 'u', new Date('2026-01-01T00:00:00Z')),
  memberships,
});
