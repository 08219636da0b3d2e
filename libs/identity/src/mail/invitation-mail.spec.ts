import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '#kernel';
import { invitationMail } from './invitation-mail.js';

describe('the mail to who was invited', () => {
  const origin = 'https://trace.example';
  const tenant = 'Rice $& Co';

  it.each(LANGUAGES)('names who invites, and has the link, the token or neither, in %s', (language) => {
    const { text } = invitationMail('a@b.example', language, { tenant, token: 'secret', origin });
    expect(text).toContain(tenant);
    expect(text).toContain('\n\nhttps://trace.example/portal/invitation#secret\n\n');
    expect(invitationMail('a@b.example', language, { tenant, token: 'secret', origin: null }).text).toMatch(
      /\/api\/v2\/auth\/invitations\/accept ?:\n\nsecret\n/,
    );
    expect(invitationMail('a@b.example', language, { tenant, token: 'secret', origin: null }).text).not.toMatch(
      /link|lien|enlace|liên kết/i,
    );
    const known = invitationMail('a@b.example', language, { tenant, token: null, origin }).text;
    expect(known.endsWith(`\n${origin}/portal/\n\n`)).toBe(true);
  });

  it('has texts of its own in each language', () => {
    const mails = LANGUAGES.map((language) => invitationMail('a@b.example', language, { tenant, token: 'x', origin }));
    expect(new Set(mails.flatMap(({ subject, text }) => [subject, text])).size).toBe(LANGUAGES.length * 2);
  });
});
