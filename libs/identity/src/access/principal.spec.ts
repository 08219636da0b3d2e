import { describe, expect, it } from '@jest/globals';
import { type Actor, type Role, checksumAddress } from '#kernel';
import { refusalOf, testActor } from '#kernel/testing';
import { type Principal, type Requirement, admit } from './principal.js';

const own = checksumAddress(`0x${'ab'.repeat(20)}`);
const ofOrganisation = checksumAddress(`0x${'cd'.repeat(20)}`);
const actor = (roles: readonly Role[], more: Partial<Actor> = {}): Actor =>
  testActor(roles, { wallet: own, wallets: [own, ofOrganisation], ...more });

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
