import { describe, expect, it } from '@jest/globals';
import { checksumAddress } from '#kernel';
import { Wallet } from './wallet.js';

const at = new Date('2026-01-01T00:00:00Z');

describe('a wallet', () => {
  const address = checksumAddress(`0x${'ab'.repeat(20)}`);
  it('gains an owner but does not change it', () => {
    const known = Wallet.bind('t', { address, userId: 'u' }, at);
    const both = known.merge(Wallet.bind('t', { address, orgId: 'o', label: 'Ada' }, at));
    expect(both).toMatchObject({ userId: 'u', orgId: 'o', label: 'Ada' });
    expect(both!.merge(Wallet.bind('t', { address, orgId: 'other' }, at))).toBeNull();
  });

  it('is of who proves it, whatever was typed about it; what is typed later changes no owner', () => {
    const typed = Wallet.bind('t', { address, userId: 'other', orgId: 'theirs', siteId: 's', label: 'Other' }, at);
    const proven = typed.merge(Wallet.bind('t', { address, userId: 'u', orgId: 'o', label: 'Ada', proven: true }, at))!;
    expect(proven).toMatchObject({ userId: 'u', orgId: 'o', siteId: null, label: 'Ada', provenAt: at });
    for (const typing of [{ userId: 'other' }, { orgId: 'theirs' }])
      expect(proven.merge(Wallet.bind('t', { address, ...typing }, at))).toBeNull();
    expect(proven.merge(Wallet.bind('t', { address, userId: 'other', proven: true }, at))).toBeNull();
    expect(proven.merge(Wallet.bind('t', { address, userId: 'u', label: 'Ada L.' }, at))).toMatchObject({ label: 'Ada L.', provenAt: at });
  });

  it('stays at its site when a member of the same organisation proves it', () => {
    const typed = Wallet.bind('t', { address, orgId: 'o', siteId: 's' }, at);
    expect(typed.merge(Wallet.bind('t', { address, userId: 'u', orgId: 'o', proven: true }, at))).toMatchObject({
      orgId: 'o',
      siteId: 's',
    });
  });
});
