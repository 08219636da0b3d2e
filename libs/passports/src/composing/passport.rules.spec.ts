import { canonicalJson } from '#kernel';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_SETTING } from '../settings/passport-setting.js';
import { RICE, issued } from '../testing/rice.js';
import { buildPassport, countedPart } from './passport.rules.js';

describe('the operator of a passport', () => {
  it('is shown in at most 500 characters each, cut between two of them, so that the whole can be hashed', () => {
    const operator = {
      id: '0f1e2d3c-4b5a-4697-8869-7a6b5c4d3e2f',
      name: 'Example Mill',
      lei: null,
      gln: null,
      publicProfile: { website: `${'a'.repeat(499)}🌾🌾` },
    };
    const passport = buildPassport({
      issued: issued({}),
      setting: DEFAULT_SETTING,
      facts: { ...RICE, operator },
      footprint: null,
      claimShare: null,
      origin: 'https://id.example',
      today: '2026-11-28',
    });
    expect(passport.operator!.contact).toEqual({ website: `${'a'.repeat(499)}🌾` });
    expect(canonicalJson(countedPart(passport))).toContain('🌾');
  });
});
