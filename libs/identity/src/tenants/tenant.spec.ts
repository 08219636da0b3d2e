import { describe, expect, it } from '@jest/globals';
import { Tenant } from './tenant.js';

const at = new Date('2026-01-01T00:00:00Z');
const ID = '0190a000-0000-7000-8000-000000000001';
const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a tenant', () => {
  it.each(['a', '-rice', 'rice-', 'Rice', 'ri ce', 'x'.repeat(64), ''])('has no slug "%s"', (slug) => {
    expect(codeOf(() => Tenant.create({ slug, name: 'x' }, ID, at))).toBe('invalid_content');
  });
  it.each(['', 'rice', `${ID}0`])('has no id "%s"', (id) => {
    expect(codeOf(() => Tenant.create({ slug: 'rice', name: 'x' }, id, at))).toBe('invalid_content');
  });
  it('takes the tier of its environment', () => {
    expect(Tenant.create({ slug: 'rice', name: 'Rice' }, ID, at)).toMatchObject({ environment: 'production', tier: 'standard' });
    expect(Tenant.create({ slug: 'rice', name: 'Rice', environment: 'sandbox' }, ID, at).tier).toBe('sandbox');
  });
});
