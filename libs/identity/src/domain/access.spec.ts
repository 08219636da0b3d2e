import { describe, expect, it } from '@jest/globals';
import { type Actor, type Role, checksumAddress } from '#kernel';
import { type Principal, type Requirement, admit, requireProcess } from './access.js';
import { senderOf } from './sender.js';

const own = checksumAddress(`0x${'ab'.repeat(20)}`);
const ofOrganisation = checksumAddress(`0x${'cd'.repeat(20)}`);
const actor = (roles: readonly Role[], more: Partial<Actor> = {}): Actor => ({
  kind: 'user',
  id: 'u',
  tenantId: 't',
  tenantSlug: 'rice',
  roles,
  roleScopes: {},
  orgId: null,
  wallet: own,
  wallets: [own, ofOrganisation],
  ...more,
});

const user = (use: 'full' | 'partial' | 'platform', of: Actor | null, isPlatformAdmin = false): Principal => ({
  kind: 'user',
  use,
  userId: 'u',
  sessionId: 's',
  isPlatformAdmin,
  actor: of,
});
const principals: Record<string, Principal> = {
  partial: user('partial', null),
  platform: user('platform', null, true),
  operator: user('full', actor(['OPERATOR'])),
  admin: user('full', actor(['TENANT_ADMIN'])),
  'platform admin in a tenant': user('full', actor([]), true),
  'operator key': { kind: 'api_key', actor: actor(['OPERATOR'], { kind: 'api_key' }) },
  'admin key': { kind: 'api_key', actor: actor(['TENANT_ADMIN'], { kind: 'api_key' }) },
};
const requirements: Record<string, Requirement> = {
  partial: 'partial',
  platform: 'platform',
  member: 'member',
  admin: { roles: ['TENANT_ADMIN'] },
  'admin in person': { roles: ['TENANT_ADMIN'], bearerOnly: true },
  'in person': { bearerOnly: true },
};

const refusalOf = (work: () => void): string => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('who gets in where', () => {
  it.each([
    // route, partial, platform, operator, admin, platform admin in a tenant, operator key, admin key
    ['partial', 'ok', 'ok', 'ok', 'ok', 'ok', 'bearer_required', 'bearer_required'],
    [
      'platform',
      'platform_admin_required',
      'ok',
      'platform_admin_required',
      'platform_admin_required',
      'ok',
      'bearer_required',
      'bearer_required',
    ],
    ['member', 'partial_token', 'tenant_required', 'ok', 'ok', 'ok', 'ok', 'ok'],
    ['admin', 'partial_token', 'tenant_required', 'role_required', 'ok', 'role_required', 'role_required', 'ok'],
    ['admin in person', 'partial_token', 'tenant_required', 'role_required', 'ok', 'role_required', 'bearer_required', 'bearer_required'],
    ['in person', 'partial_token', 'tenant_required', 'ok', 'ok', 'ok', 'bearer_required', 'bearer_required'],
  ])('%s', (route, ...expected) => {
    expect(Object.values(principals).map((principal) => refusalOf(() => admit(principal, requirements[route]!)))).toEqual(expected);
  });
});

describe('process scope', () => {
  it('counts the roles that a map names only', () => {
    const scoped = actor(['OPERATOR', 'AUDITOR'], { roleScopes: { OPERATOR: ['wool_*'] } });
    expect(refusalOf(() => requireProcess(scoped, 'RICE_MILLING'))).toBe('ok');
    expect(refusalOf(() => requireProcess(scoped, 'RICE_MILLING', ['OPERATOR']))).toBe('process_out_of_scope');
    expect(refusalOf(() => requireProcess(scoped, 'wool_shearing', ['OPERATOR']))).toBe('ok');
    expect(refusalOf(() => requireProcess(actor([]), 'wool_shearing'))).toBe('process_out_of_scope');
  });
});

describe('the sender', () => {
  it('is the own wallet unless the request names another of the caller', () => {
    expect(senderOf(actor([]))).toBe(own);
    expect(senderOf(actor([]), null)).toBe(own);
    expect(senderOf(actor([]), ofOrganisation)).toBe(ofOrganisation);
    expect(senderOf(actor([], { wallet: null, wallets: [] }))).toBeNull();
  });

  it('is refused when it is somebody else, or not in its EIP-55 form', () => {
    const stranger = checksumAddress(`0x${'ef'.repeat(20)}`);
    expect(() => senderOf(actor([]), stranger)).toThrow(expect.objectContaining({ code: 'foreign_sender', status: 403 }));
    for (const wrong of [own.toLowerCase(), '', '0x', 'mill.eth'])
      expect(() => senderOf(actor([]), wrong)).toThrow(
        expect.objectContaining({
          code: 'malformed_request',
          status: 400,
          details: { errors: [expect.objectContaining({ pointer: '/from' })] },
        }),
      );
  });
});
