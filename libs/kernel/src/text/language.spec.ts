import { describe, expect, it } from '@jest/globals';
import { languageOf, wantedLanguage } from './language.js';

describe('the language that a request asks for', () => {
  it.each([
    [undefined, 'en', null],
    ['*', 'en', null],
    ['pt-BR, ja', 'en', null],
    ['de-AT, en;q=0.8', 'de', 'de'],
    ['pt, VI;q=0.5', 'vi', 'vi'],
    ['fr;q=0.4, es;q=0.9', 'es', 'es'],
    ['*, de;q=0.5', 'en', null],
    ['de;q=0, *;q=0.1', 'en', null],
    ['en-GB', 'en', 'en'],
  ])('%s is %s, and chooses %s', (accepted, language, wanted) => {
    expect([languageOf(accepted), wantedLanguage(accepted)]).toEqual([language, wanted]);
  });
});
