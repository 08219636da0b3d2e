import { describe, expect, it } from '@jest/globals';
import { checksumAddress } from '#kernel';
import { ApiKey, readApiKey } from './api-key.js';
import { type Account, type Membership, chooseMembership, fingerprint, identityPayload, tokenUse } from './identity-payload.js';
import { checkGrants } from './member.js';
import { isGln, isLei } from './organisation.js';
import { Tenant } from './tenant.js';
import { User } from './user.js';
import { Wallet } from './wallet.js';

const at = new Date('2026-01-01T00:00:00Z');
const membership = (slug: string, more: Partial<Membership> = {}): Membership => ({
  tenantId: `id-of-${slug}`,
  slug,
  name: slug,
  onChainTenantId: '0x',
  tenantContractAddress: null,
  roles: ['OPERATOR'],
  roleScopes: {},
  wallet: null,
  org: null,
  ...more,
});
const account = (memberships: readonly Membership[], platformAdmin = false): Account => ({
  user: User.create({ email: 'a@b.example', name: '', platformAdmin }, null, 'u', at),
  memberships,
});
const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('which tenant a login is for', () => {
  const [rice, wool] = [membership('rice'), membership('wool')];
  it.each<[string, Account, string | null, unknown]>([
    ['the only one', account([rice]), null, rice],
    ['none yet of several', account([rice, wool]), null, null],
    ['the named one, by slug', account([rice, wool]), 'wool', wool],
    ['the named one, by id', account([rice, wool]), 'ID-OF-WOOL', wool],
    ['not a foreign one', account([rice]), 'wool', 'not_a_member'],
    ['no one without memberships', account([]), null, 'no_membership'],
    ['none for a platform administrator without memberships', account([], true), null, null],
    ['not one that a platform administrator is no member of', account([], true), 'rice', 'not_a_member'],
  ])('%s', (_what, who, asked, expected) => {
    expect(codeOf(() => chooseMembership(who, asked))).toEqual(expected);
  });

  it('decides the use of the token', () => {
    expect(tokenUse(account([rice]), rice)).toBe('full');
    expect(tokenUse(account([rice, wool]), null)).toBe('partial');
    expect(tokenUse(account([], true), null)).toBe('platform');
  });
});

describe('the identity payload', () => {
  it('is complete with name, organisation and wallet', () => {
    const org = { id: 'o', name: 'Mill', did: null, lei: null, gln: null };
    const wallet = checksumAddress(`0x${'ab'.repeat(20)}`);
    const whole = membership('rice', { org, wallet });
    const named: Account = { user: User.create({ email: 'a@b.example', name: 'Ada' }, null, 'u', at), memberships: [whole] };
    expect(identityPayload(named, whole, 31_337)).toMatchObject({
      profileComplete: true,
      username: 'Ada',
      did: `did:pkh:eip155:31337:${wallet}`,
    });
    expect(identityPayload(account([whole]), whole, 1)).toMatchObject({ profileComplete: false, username: 'a@b.example' });
    expect(identityPayload(named, membership('rice', { org }), 1)).toMatchObject({ profileComplete: false, wallet: null, did: null });
  });

  it('is stale by memberships, roles and scopes, not by names or order', () => {
    const [rice, wool] = [membership('rice'), membership('wool')];
    const before = fingerprint([rice, wool]);
    expect(fingerprint([wool, { ...rice, name: 'Rice Ltd' }])).toBe(before);
    expect(fingerprint([rice])).not.toBe(before);
    expect(fingerprint([rice, { ...wool, roles: ['ADMIN'] }])).not.toBe(before);
    expect(fingerprint([rice, { ...wool, roleScopes: { OPERATOR: [] } }])).not.toBe(before);
  });
});

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

describe('registered numbers', () => {
  it('of GS1 and ISO 17442 are checked by their check digits', () => {
    expect(['9520000100018', '9520000100025', '9520000100019', '952000010001'].map(isGln)).toEqual([true, true, false, false]);
    expect(['5493001KJTIIGC8Y1R12', '5493001KJTIIGC8Y1R21', '5493001kjtiigc8y1r12'].map(isLei)).toEqual([true, false, false]);
  });
});

describe('a tenant', () => {
  it.each(['a', '-rice', 'rice-', 'Rice', 'ri ce', 'x'.repeat(64), ''])('has no slug "%s"', (slug) => {
    expect(codeOf(() => Tenant.create({ slug, name: 'x' }, 'id', at))).toBe('invalid_content');
  });
  it('takes the tier of its environment', () => {
    expect(Tenant.create({ slug: 'rice', name: 'Rice' }, 'id', at)).toMatchObject({ environment: 'production', tier: 'standard' });
    expect(Tenant.create({ slug: 'rice', name: 'Rice', environment: 'sandbox' }, 'id', at).tier).toBe('sandbox');
  });
});

describe('a wallet', () => {
  const address = checksumAddress(`0x${'ab'.repeat(20)}`);
  it('gains an owner but does not change it', () => {
    const known = Wallet.bind('t', { address, userId: 'u' }, at);
    const both = known.merge(Wallet.bind('t', { address, orgId: 'o', label: 'Ada' }, at));
    expect(both).toMatchObject({ userId: 'u', orgId: 'o', label: 'Ada' });
    expect(both!.merge(Wallet.bind('t', { address, orgId: 'other' }, at))).toBeNull();
  });
});

describe('an API key', () => {
  const made = (more: object = {}) =>
    ApiKey.create(
      { id: 't', environment: 'production' },
      { name: 'ERP', roles: ['OPERATOR'], ...more },
      { id: '0f8fad5b-d9cb-469f-a165-70867728950e', secret: Buffer.alloc(32, 7), by: null, at },
    );
  const later = (seconds: number): Date => new Date(at.getTime() + seconds * 1000);

  it('is read back from its text and tells a typing error', () => {
    const { text } = made();
    expect(readApiKey(text)).toEqual({ id: '0f8fad5b-d9cb-469f-a165-70867728950e', secret: Buffer.alloc(32, 7) });
    for (let i = 0; i < text.length; i += 7)
      expect(readApiKey(`${text.slice(0, i)}${text[i] === '0' ? '1' : '0'}${text.slice(i + 1)}`)).toBeNull();
  });

  it('is not made when it would be over already', () => {
    expect(() => made({ expiresAt: at })).toThrow(
      expect.objectContaining({ details: { errors: [expect.objectContaining({ pointer: '/expiresAt' })] } }),
    );
    expect(made({ expiresAt: later(1) }).key.expiresAt).toEqual(later(1));
  });

  it('opens until it expires, is rotated or revoked', () => {
    const { key } = made({ expiresAt: later(100) });
    expect(key.goodUntil(Buffer.alloc(32, 7), at)).toBe(later(100).getTime());
    expect(key.goodUntil(Buffer.alloc(32, 7), later(100))).toBeNull();
    expect(key.goodUntil(Buffer.alloc(32, 8), at)).toBeNull();
    Object.assign(key, { previousHash: key.secretHash, previousUntil: later(10), secretHash: Buffer.alloc(32) });
    expect(key.goodUntil(Buffer.alloc(32, 7), at)).toBe(later(10).getTime());
    expect(key.goodUntil(Buffer.alloc(32, 7), later(11))).toBeNull();
    key.revokedAt = at;
    expect(key.goodUntil(Buffer.alloc(32, 7), at)).toBeNull();
  });
});
