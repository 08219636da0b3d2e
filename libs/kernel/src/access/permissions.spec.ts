import { describe, expect, it } from '@jest/globals';
import { type Actor, reachesProcess, requireProcess, requireRole, type Role, scopeCovers, senderOf } from './actor.js';
import { checksumAddress } from '../values/evm.js';
import { refusalOf, testActor } from '../testing/index.js';

const own = checksumAddress(`0x${'ab'.repeat(20)}`);
const ofOrganisation = checksumAddress(`0x${'cd'.repeat(20)}`);
const actor = (roles: readonly Role[], more: Partial<Actor> = {}): Actor =>
  testActor(roles, { wallet: own, wallets: [own, ofOrganisation], ...more });

describe('roles', () => {
  it('need one of those that are named', () => {
    expect(refusalOf(() => requireRole(actor(['OPERATOR']), ['OPERATOR', 'ADMIN']))).toBe('ok');
    expect(refusalOf(() => requireRole(actor(['AUDITOR']), ['OPERATOR', 'ADMIN']))).toBe('role_required');
    expect(refusalOf(() => requireRole(actor([]), []))).toBe('role_required');
  });
});

describe('process scopes', () => {
  it.each([
    [undefined, 'wool_shearing', true],
    [[], 'wool_shearing', false],
    [['*'], 'wool_shearing', true],
    [['wool_*'], 'wool_shearing', true],
    [['wool_*'], 'Wool_shearing', false],
    [['*_shearing'], 'wool_shearing', true],
    [['wool_*g'], 'wool_', false],
    [['wool_shearing'], 'wool_shearing', true],
    [['wool_shear'], 'wool_shearing', false],
  ])('%j covers %s: %s', (scope, process, covered) => {
    expect(scopeCovers(scope, process)).toBe(covered);
  });

  it('checks the roles one by one', () => {
    const scoped = { roles: ['OPERATOR', 'AUDITOR'], roleScopes: { OPERATOR: ['wool_*'], AUDITOR: [] } } as never;
    expect(reachesProcess(scoped, 'wool_spinning')).toBe(true);
    expect(reachesProcess(scoped, 'wool_spinning', ['AUDITOR', 'ADMIN'])).toBe(false);
  });
});

describe('the process scope of a request', () => {
  it('counts the roles that a map names only', () => {
    const scoped = actor(['OPERATOR', 'AUDITOR'], { roleScopes: { OPERATOR: ['wool_*'] } });
    expect(refusalOf(() => requireProcess(scoped, 'RICE_MILLING'))).toBe('ok');
    expect(refusalOf(() => requireProcess(scoped, 'RICE_MILLING', ['OPERATOR']))).toBe('process_out_of_scope');
    expect(refusalOf(() => requireProcess(scoped, 'wool_shearing', ['OPERATOR']))).toBe('ok');
    expect(refusalOf(() => requireProcess(actor([]), 'wool_shearing'))).toBe('process_out_of_scope');
  });

  it('is not blamed where the role is missing that the map names', () => {
    expect(refusalOf(() => requireProcess(actor(['AUDITOR']), 'RICE_MILLING', ['OPERATOR', 'ADMIN']))).toBe('role_required');
    expect(() => requireProcess(actor(['AUDITOR']), 'RICE_MILLING', ['OPERATOR', 'ADMIN'])).toThrow(
      'This requires the role OPERATOR or ADMIN.',
    );
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
