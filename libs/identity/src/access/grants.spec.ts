import { describe, expect, it } from '@jest/globals';
import { checkGrants } from './grants.js';

describe('grants', () => {
  it.each<[string, Parameters<typeof checkGrants>[0], string]>([
    ['an unknown role', { roles: ['KING' as never] }, '/roles/0'],
    ['a scope for a role that is not granted', { roles: ['ADMIN'], roleScopes: { OPERATOR: ['x'] } }, '/roleScopes/OPERATOR'],
    ['two stars', { roles: ['OPERATOR'], roleScopes: { OPERATOR: ['ok', '*_*'] } }, '/roleScopes/OPERATOR/1'],
    ['an empty key', { roles: ['OPERATOR'], roleScopes: { OPERATOR: [''] } }, '/roleScopes/OPERATOR/0'],
    ['a lower-case wallet', { roles: [], wallet: `0x${'ab'.repeat(20)}` }, '/wallet'],
  ])('refuse %s', (_what, grants, pointer) => {
    expect(() => checkGrants(grants)).toThrow(
      expect.objectContaining({ code: 'invalid_content', details: { errors: [expect.objectContaining({ pointer })] } }),
    );
  });
});
