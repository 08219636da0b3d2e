import { describe, expect, it } from '@jest/globals';
import { account, membership } from '../testing/accounts.js';
import { type Account, chooseMembership, fingerprint } from './account.js';

const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('which tenant a login is for', () => {
  const [rice, wool, invited] = [membership('rice'), membership('wool'), membership('cocoa', { accepted: false })];
  it.each<[string, Account, string | null, unknown]>([
    ['the only one', account([rice]), null, rice],
    ['none yet of several', account([rice, wool]), null, null],
    ['the named one, by slug', account([rice, wool]), 'wool', wool],
    ['the named one, by id', account([rice, wool]), 'ID-OF-WOOL', wool],
    ['not a foreign one', account([rice]), 'wool', 'not_a_member'],
    ['no one without memberships', account([]), null, 'no_membership'],
    ['the only one that is accepted', account([rice, invited]), null, rice],
    ['one that is not accepted, where there is no other', account([invited]), null, invited],
    ['one that is not accepted, when it is named', account([rice, invited]), 'cocoa', invited],
    ['none of several that are not accepted', account([invited, { ...invited, tenantId: 'x' }]), null, null],
    ['none for a platform administrator whom a tenant has invited', account([invited], { platformAdmin: true }), null, null],
    ['none for a platform administrator without memberships', account([], { platformAdmin: true }), null, null],
    ['not one that a platform administrator is no member of', account([], { platformAdmin: true }), 'rice', 'not_a_member'],
  ])('%s', (_what, who, asked, expected) => {
    expect(codeOf(() => chooseMembership(who, asked))).toEqual(expected);
  });
});

describe('the fingerprint of memberships', () => {
  it('changes with memberships, roles and scopes, not with names, order or what was not accepted', () => {
    const [rice, wool] = [membership('rice'), membership('wool')];
    const before = fingerprint([rice, wool]);
    expect(fingerprint([wool, { ...rice, name: 'Rice Ltd' }])).toBe(before);
    expect(fingerprint([rice, wool, membership('cocoa', { accepted: false })])).toBe(before);
    expect(fingerprint([rice])).not.toBe(before);
    expect(fingerprint([rice, { ...wool, roles: ['ADMIN'] }])).not.toBe(before);
    expect(fingerprint([rice, { ...wool, roleScopes: { OPERATOR: [] } }])).not.toBe(before);
  });
});
