import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '#kernel';
import { passwordChangedMail, resetMail } from './password-mails.js';

describe('the mails about passwords', () => {
  const link = 'https://portal.example/portal/password#{token}';

  it.each(LANGUAGES)('have the link, or the token, in %s', (language) => {
    expect(resetMail('a@b.example', 'secret', link, language).text).toContain('\n\nhttps://portal.example/portal/password#secret\n\n');
    expect(resetMail('a@b.example', 'secret', null, language).text).toMatch(/\/api\/v2\/auth\/password\/reset ?:\n\nsecret\n/);
  });

  it('have texts of their own in each language', () => {
    const texts = LANGUAGES.flatMap((language) => {
      const [reset, changed] = [resetMail('a@b.example', 'x', link, language), passwordChangedMail('a@b.example', language)];
      return [reset.subject, reset.text, changed.subject, changed.text];
    });
    expect(new Set(texts).size).toBe(LANGUAGES.length * 4);
  });
});
