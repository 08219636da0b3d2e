import { describe, expect, it } from '@jest/globals';
import { ApiKey, readApiKey } from './api-key.js';

const at = new Date('2026-01-01T00:00:00Z');

describe('an API key', () => {
  const made = (more: object = {}) =>
    ApiKey.create(
      { id: 't', environment: 'production' },
      { name: 'ERP', roles: ['OPERATOR'], ...more },
      { id: '0f8fad5b-d9cb-469f-a165-70867728950e', secret: Buffer.alloc(32, 7), by: null, at },
    );
  const later = (seconds: number): Date => new Date(at.getTime() + seconds * 1000);

  it('is read back from its text, and its checksum reveals a typing error', () => {
    const { text } = made();
    expect(readApiKey(text)).toEqual({ id: '0f8fad5b-d9cb-469f-a165-70867728950e', secret: Buffer.alloc(32, 7) });
    for (let i = 0; i < text.length; i += 7)
      expect(readApiKey(`${text.slice(0, i)}${text[i] === '0' ? '1' : '0'}${text.slice(i + 1)}`)).toBeNull();
  });

  it('is not created with an expiry in the past', () => {
    expect(() => made({ expiresAt: at })).toThrow(
      expect.objectContaining({ details: { errors: [expect.objectContaining({ pointer: '/expiresAt' })] } }),
    );
    expect(made({ expiresAt: later(1) }).key.expiresAt).toEqual(later(1));
  });

  it('opens until it expires, is rotated or revoked', () => {
    const { key } = made({ expiresAt: later(100) });
    expect(key.validUntil(Buffer.alloc(32, 7), at)).toBe(later(100).getTime());
    expect(key.validUntil(Buffer.alloc(32, 7), later(100))).toBeNull();
    expect(key.validUntil(Buffer.alloc(32, 8), at)).toBeNull();
    Object.assign(key, { previousHash: key.secretHash, previousUntil: later(10), secretHash: Buffer.alloc(32) });
    expect(key.validUntil(Buffer.alloc(32, 7), at)).toBe(later(10).getTime());
    expect(key.validUntil(Buffer.alloc(32, 7), later(11))).toBeNull();
    key.revokedAt = at;
    expect(key.validUntil(Buffer.alloc(32, 7), at)).toBeNull();
  });
});
