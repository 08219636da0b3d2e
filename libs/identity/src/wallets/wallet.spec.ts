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
});
