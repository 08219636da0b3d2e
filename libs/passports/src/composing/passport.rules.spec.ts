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

describe('passports of goods in another life', () => {
  const HERE = {
    id: 'urn:uuid:8b715df3-7137-cdcf-f72e-507172c6c9ad',
    passportId: '8b715df37137cdcff72e507172c6c9ad',
    name: 'Pack',
    key: 'K',
  };
  const linked = (given: unknown, granularity: 'item' | 'model' = 'item') => {
    const events = RICE.events.map((event) => ({ ...event, values: { ...event.values, '/previousPassports': given } }));
    const { previousPassports, nextPassports, product } = buildPassport({
      ...{ issued: issued({ granularity }), setting: DEFAULT_SETTING, footprint: null, claimShare: null },
      ...{ facts: { ...RICE, events, previous: [HERE], next: [HERE] }, origin: 'https://id.example', today: '2026-11-28' },
    });
    expect(product.attributes).not.toHaveProperty('previousPassports');
    return [previousPassports.map(({ id }) => id), nextPassports.map(({ id }) => id)];
  };

  it('are those that the service shows, and addresses elsewhere that the event names', () => {
    const elsewhere = ['https://a.example/1', 'urn:uuid:00000000-0000-4000-8000-000000000000'];
    expect(linked([...elsewhere, elsewhere[0], HERE.id])).toEqual([[HERE.id, ...elsewhere], [HERE.id]]);
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    ['no address'],
    ['javascript:alert(1)'],
    ['https://a.example/"><script>'],
    [`https://a.example/${'a'.repeat(600)}`],
    [[7, {}, null, 'data:text/html,x']],
    ['urn:x'],
  ])('have no link to %j', (given) => expect(linked(given)).toEqual([[HERE.id], [HERE.id]]));

  it('have no link where the passport is that of a model', () => expect(linked(['https://a.example/1'], 'model')).toEqual([[], []]));
});
