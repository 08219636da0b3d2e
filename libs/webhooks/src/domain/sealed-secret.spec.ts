import { describe, expect, it } from '@jest/globals';
import { seal, sealingKey, unseal } from './sealed-secret.js';

const key = sealingKey(Buffer.alloc(32, 1));
const nonce = Buffer.alloc(12, 9);

describe('a sealed secret', () => {
  const sealed = seal('whsec_abc', 'subscription-1', key, nonce);

  it('opens with its key for its owner, and shows nothing', () => {
    expect(unseal(sealed, 'subscription-1', [sealingKey(Buffer.alloc(32, 2)), key])).toBe('whsec_abc');
    expect(sealed).not.toContain('whsec');
  });

  it('does not open in another row, nor when changed', () => {
    expect(() => unseal(sealed, 'subscription-2', [key])).toThrow();
    expect(() => unseal(`${sealed.slice(0, -4)}AAAA`, 'subscription-1', [key])).toThrow();
  });

  it('names the key that is missing', () => {
    expect(() => unseal(sealed, 'subscription-1', [sealingKey(Buffer.alloc(32, 2))])).toThrow(key.id);
  });
});
