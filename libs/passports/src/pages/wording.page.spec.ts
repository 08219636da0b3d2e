import { LANGUAGES, languageOf } from '#kernel';
import { describe, expect, it } from '@jest/globals';
import { CATALOGUE, TEXT_KEYS } from './texts.page.js';
import { wordingIn } from './wording.page.js';

describe('the catalogue of the pages', () => {
  it('has every text in every language, with the same values in it', () => {
    expect(CATALOGUE.languages).toEqual(LANGUAGES);
    expect(Object.keys(CATALOGUE.texts).toSorted()).toEqual(TEXT_KEYS.toSorted());
    const valuesIn = (text: string): string =>
      [...text.matchAll(/\{\d\}/g)]
        .map(([one]) => one)
        .toSorted()
        .join();
    const faulty = Object.entries(CATALOGUE.texts).filter(
      ([, texts]) =>
        texts.length !== LANGUAGES.length || texts.some((text) => text.trim() === '' || valuesIn(text) !== valuesIn(texts[0]!)),
    );
    expect(faulty).toEqual([]);
    expect(CATALOGUE.names.filter((names) => names.length !== LANGUAGES.length || names.includes(''))).toEqual([]);
    const names = CATALOGUE.names.map(([name]) => name!.toLowerCase());
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});

describe('the language of a page', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['ja, vi;q=0.5, fr;q=0.4', 'vi'],
    ['fr;q=0.1, es;q=0.9', 'es'],
    ['de;q=0, en;q=0.1', 'en'],
    ['zh', 'en'],
    ['*', 'en'],
    ['DE', 'de'],
    [`${'de,'.repeat(1_000)}x;q=${'9'.repeat(500)}`, 'de'],
  ])('of Accept-Language %j is %s', (accepted, language) => expect(languageOf(accepted)).toBe(language));
});

describe('a value in words', () => {
  const [english, german] = [wordingIn('en'), wordingIn('de')];

  it.each([
    ['massPerUnitG', 45, ['Mass per unit', '45 g']],
    ['moistureOutPercent', [14, 14.5], ['Moisture out', '14 %, 14.5 %']],
    ['meanFibreDiameterMicron', 18.6, ['Mean fibre diameter', '18.6 µm']],
    ['organicPercent', 'unknown', ['Organic percent', 'unknown']],
    ['G', 1, ['G', '1']],
    ['recalls', [], ['Recalls', 'none']],
    ['battery.weight', { value: 125.5, unitCode: 'KGM' }, ['Battery, weight', '125.5 kg']],
    ['category', 'https://ref.openepcis.io/extensions/eu/battery/IndustrialBattery', ['Category', 'Industrial battery']],
    ['name', [{ value: 'LFP', language: 'en' }], ['Name', 'LFP']],
    ['study', 'https://files.example.org/study.pdf', ['Study', 'https://files.example.org/study.pdf']],
  ])('%s', (name, value, words) => {
    expect(english.measured(name, value)).toEqual(words);
  });

  it('is written as its language writes it', () => {
    expect(german.measured('battery.weight', { value: 125.5, unitCode: 'KGM' })).toEqual(['Battery, gewicht', '125,5 kg']);
    expect([german.date('2026-09'), german.country('VN'), german.value(true)]).toEqual(['September 2026', 'Vietnam', 'ja']);
    expect(wordingIn('vi').text('grantFor', 'A', 'B {0}')).toBe('Dành cho A: B {0}');
  });
});
