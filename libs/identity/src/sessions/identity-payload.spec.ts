import { describe, expect, it } from '@jest/globals';
import { checksumAddress } from '#kernel';
import { account, membership } from '../testing/accounts.js';
import { identityPayload, tokenUse } from './identity-payload.js';

describe('the identity payload', () => {
  it('has the name that the tenant of the token gave, and no other', () => {
    const places = [membership('rice', { invitedName: 'Ada of the mill' }), membership('wool', { invitedName: '' })];
    const names = [...places, null].map((active) => identityPayload(account(places), active, 1).username);
    expect(names).toEqual(['Ada of the mill', 'a@b.example', 'a@b.example']);
  });

  it('is complete with name, organisation and wallet', () => {
    const org = { id: 'o', name: 'Mill', did: null, lei: null, gln: null };
    const wallet = checksumAddress(`0x${'ab'.repeat(20)}`);
    const whole = membership('rice', { org, wallet });
    const named = account([whole], { name: 'Ada' });
    expect(identityPayload(named, whole, 31_337)).toMatchObject({
      profileComplete: true,
      username: 'Ada',
      did: `did:pkh:eip155:31337:${wallet}`,
    });
    expect(identityPayload(account([whole]), whole, 1)).toMatchObject({ profileComplete: false, username: 'a@b.example' });
    expect(identityPayload(named, membership('rice', { org }), 1)).toMatchObject({ profileComplete: false, wallet: null, did: null });
  });
});

describe('a token', () => {
  it('is good for its tenant, for choosing one, or for the platform', () => {
    const [rice, wool] = [membership('rice'), membership('wool')];
    expect(tokenUse(account([rice]), rice)).toBe('full');
    expect(tokenUse(account([rice, wool]), null)).toBe('partial');
    expect(tokenUse(account([], { platformAdmin: true }), null)).toBe('platform');
    expect(tokenUse(account([membership('cocoa', { accepted: false })], { platformAdmin: true }), null)).toBe('platform');
  });
});
