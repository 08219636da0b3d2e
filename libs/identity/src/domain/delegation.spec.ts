import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#kernel';
import { checkDelegation } from './delegation.js';
import type { RoleScopes } from './member.js';

const pointers = (admin: RoleScopes, roleScopes: RoleScopes): string[] => {
  try {
    checkDelegation({ roles: ['TENANT_ADMIN'], roleScopes: admin }, { roles: ['OPERATOR'], roleScopes });
    return [];
  } catch (error) {
    return (error as DomainError).details.errors!.map(({ pointer }) => pointer);
  }
};

describe('what an administrator may hand on', () => {
  const wool: RoleScopes = { TENANT_ADMIN: ['wool_*', 'audit'] };
  it.each([
    ['everything, having everything', {}, {}, []],
    ['everything, having `*`', { TENANT_ADMIN: ['*'] }, {}, []],
    ['one process of the own glob', wool, { OPERATOR: ['wool_shearing'] }, []],
    ['a narrower glob', wool, { OPERATOR: ['wool_s*'] }, []],
    ['the same glob', wool, { OPERATOR: ['wool_*', 'audit'] }, []],
    ['nothing', wool, { OPERATOR: [] }, []],
    ['everything, having a part', wool, {}, ['/roleScopes/OPERATOR']],
    ['a wider glob', wool, { OPERATOR: ['wo*'] }, ['/roleScopes/OPERATOR/0']],
    ['`*`, having a part', wool, { OPERATOR: ['wool_a', '*'] }, ['/roleScopes/OPERATOR/1']],
    ['a glob over an exact key', wool, { OPERATOR: ['audit*'] }, ['/roleScopes/OPERATOR/0']],
    ['another process', wool, { OPERATOR: ['rice'] }, ['/roleScopes/OPERATOR/0']],
  ] as const)('%s', (_, admin, granted, expected) => {
    expect(pointers(admin, granted)).toEqual(expected);
  });
});
