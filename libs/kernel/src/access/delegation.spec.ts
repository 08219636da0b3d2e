import { describe, expect, it } from '@jest/globals';
import type { Actor, Role } from './actor.js';
import { type Rights, requireAuthorityOver, requireEveryProcess, requireGrantable } from './delegation.js';
import type { DomainError } from '../requests/problem.js';

type Scopes = Rights['roleScopes'];

const actor = (roles: readonly Role[], roleScopes: Scopes = {}, orgId: string | null = null): Actor => ({
  kind: 'user',
  id: 'u',
  tenantId: 't',
  tenantSlug: 'rice',
  roles,
  roleScopes,
  orgId,
  wallet: null,
  wallets: [],
});
const pointers = (work: () => void): readonly string[] => {
  try {
    work();
    return [];
  } catch (error) {
    const { status, code, details } = error as DomainError;
    expect({ status, code }).toEqual({ status: 403, code: 'beyond_own_grants' });
    return (details.errors ?? [{ pointer: 'refused' }]).map(({ pointer }) => pointer);
  }
};
const operator = (roleScopes: Scopes): Rights => ({ roles: ['OPERATOR'], roleScopes });
const wool = actor(['TENANT_ADMIN'], { TENANT_ADMIN: ['wool_*', 'audit'] });

describe('what an administrator may hand on', () => {
  it.each<[string, Actor, Scopes, readonly string[]]>([
    ['everything, having everything', actor(['TENANT_ADMIN']), {}, []],
    ['everything, having `*`', actor(['TENANT_ADMIN'], { TENANT_ADMIN: ['*'] }), {}, []],
    ['one process of the own glob', wool, { OPERATOR: ['wool_shearing'] }, []],
    ['a narrower glob', wool, { OPERATOR: ['wool_s*'] }, []],
    ['the same glob', wool, { OPERATOR: ['wool_*', 'audit'] }, []],
    ['nothing', wool, { OPERATOR: [] }, []],
    ['everything, having a part', wool, {}, ['/roleScopes/OPERATOR']],
    ['a wider glob', wool, { OPERATOR: ['wo*'] }, ['/roleScopes/OPERATOR/0']],
    ['`*`, having a part', wool, { OPERATOR: ['wool_a', '*'] }, ['/roleScopes/OPERATOR/1']],
    ['a glob over an exact key', wool, { OPERATOR: ['audit*'] }, ['/roleScopes/OPERATOR/0']],
    ['another process', wool, { OPERATOR: ['rice'] }, ['/roleScopes/OPERATOR/0']],
    ['without being one', actor(['AUDITOR']), { OPERATOR: ['rice'] }, ['/roleScopes/OPERATOR/0']],
  ])('%s', (_, from, roleScopes, expected) => {
    expect(pointers(() => requireGrantable(from, operator(roleScopes)))).toEqual(expected);
  });

  it('role by role: the scope of one role is not the scope of another', () => {
    const mixed = actor(['TENANT_ADMIN', 'AUDITOR'], { TENANT_ADMIN: ['rice_milling'] });
    expect(pointers(() => requireGrantable(mixed, operator({})))).toEqual(['/roleScopes/OPERATOR']);
    expect(pointers(() => requireGrantable(mixed, { roles: ['AUDITOR'] }))).toEqual([]);
    expect(pointers(() => requireGrantable(mixed, { roles: ['AUDITOR', 'TENANT_ADMIN'] }))).toEqual(['/roleScopes/TENANT_ADMIN']);
  });

  const [own, other, none] = ['theirs', 'other', null];
  const scoped = { ADMIN: ['wool_a'], TENANT_ADMIN: ['wool_a'], OPERATOR: ['wool_a'] };
  it.each<[string, Actor, readonly Role[], string | null, readonly string[]]>([
    ['an ADMIN of another organisation', wool, ['ADMIN'], other, ['/orgId']],
    ['an ADMIN of the own one, being no ADMIN of it', actor(['TENANT_ADMIN'], wool.roleScopes, own), ['ADMIN'], own, ['/orgId']],
    ['an ADMIN of the own one, as its ADMIN', actor(['TENANT_ADMIN', 'ADMIN'], wool.roleScopes, own), ['ADMIN'], own, []],
    ['an ADMIN of another one, as ADMIN of the own', actor(['TENANT_ADMIN', 'ADMIN'], wool.roleScopes, own), ['ADMIN'], other, ['/orgId']],
    ['a TENANT_ADMIN in another organisation', wool, ['TENANT_ADMIN'], other, ['/orgId']],
    ['a TENANT_ADMIN in the own one', actor(['TENANT_ADMIN'], wool.roleScopes, own), ['TENANT_ADMIN'], own, []],
    ['both in another one', wool, ['ADMIN', 'TENANT_ADMIN'], other, ['/orgId']],
    ['an ADMIN of none', wool, ['ADMIN'], none, []],
    ['an OPERATOR in another organisation', wool, ['OPERATOR'], other, []],
    ['any, administering every process', actor(['TENANT_ADMIN']), ['ADMIN', 'TENANT_ADMIN'], other, []],
  ])('organisations, which have no process: %s', (_, from, roles, orgId, expected) => {
    const roleScopes = Object.fromEntries(roles.map((role) => [role, scoped[role as keyof typeof scoped]]));
    expect(pointers(() => requireGrantable(from, { roles, roleScopes, orgId }))).toEqual(expected);
  });
});

describe('what an administrator may take over', () => {
  it('only what may do no more than they may', () => {
    expect(pointers(() => requireAuthorityOver(wool, operator({ OPERATOR: ['wool_a'] })))).toEqual([]);
    expect(pointers(() => requireAuthorityOver(wool, operator({})))).toEqual(['refused']);
  });
  it('nothing of the whole tenant, unless a role that the act requires covers every process', () => {
    const mixed = actor(['TENANT_ADMIN', 'AUDITOR'], { TENANT_ADMIN: ['wool_*'] });
    expect(pointers(() => requireEveryProcess(mixed, ['TENANT_ADMIN', 'COMPLIANCE']))).toEqual(['refused']);
    expect(pointers(() => requireEveryProcess(mixed, ['AUDITOR']))).toEqual([]);
    expect(pointers(() => requireEveryProcess(actor(['TENANT_ADMIN'], { TENANT_ADMIN: ['*'] }), ['TENANT_ADMIN']))).toEqual([]);
  });
});
