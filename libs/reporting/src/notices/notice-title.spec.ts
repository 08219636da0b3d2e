import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '#kernel';
import { recallMatter } from './notice.js';
import { noticeMailText } from './notice-mail.js';
import { TITLES } from './notice-texts.js';
import { titleIn } from './notice-title.js';

const others = LANGUAGES.filter((language) => language !== 'en');
const recalls = [1, 3].flatMap((lots) =>
  [true, false].flatMap((isDrill) =>
    [0, 2].map((reminders) => {
      const request = { recallId: 'r', isDrill, reminders, askedAt: new Date(0) };
      return recallMatter(request, { lots, acknowledged: 0 }, []).title;
    }),
  ),
);

describe('the title of a notice', () => {
  it.each([
    [
      'Lot A-1 is offered to you by Farm: accept or reject it.',
      'Farm bietet Ihnen das Los A-1 an. Nehmen Sie es an oder lehnen Sie es ab.',
    ],
    [
      'Lot A-1 and 11 more lots are offered to you by A & B: accept or reject them.',
      'A & B bietet Ihnen das Los A-1 und weitere an (11). Nehmen Sie sie an oder lehnen Sie sie ab.',
    ],
    ['Organic certificate is valid until {x}. is valid until 2027-01-31.', 'Organic certificate is valid until {x}. gilt bis 2027-01-31.'],
    [
      'The check of your import is finished: 1 of 2 rows can be used.',
      'Die Prüfung Ihres Imports ist beendet. Brauchbare Zeilen: 1 von 2.',
    ],
  ])('%s is read in German', (title, read) => expect(titleIn(title, 'de')).toBe(read));

  it.each(recalls)('%s is read in all languages', (title) => {
    const read = others.map((language) => titleIn(title, language));
    expect(new Set([title, ...read]).size).toBe(LANGUAGES.length);
    for (const text of read) expect(text).toContain(/\d+/.exec(title)![0]);
  });

  it('has the same values in each language', () => {
    const names = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted();
    for (const [title, texts] of TITLES)
      for (const language of others) expect([title, names(texts[language])]).toEqual([title, names(title)]);
  });

  it('that the catalogue lacks stays in English', () => {
    for (const language of LANGUAGES) expect(titleIn('Something new.', language)).toBe('Something new.');
  });
});

describe('a mail with notices', () => {
  const addresses = {
    portal: (path: string) => `https://x.example/portal${path}`,
    off: (topic: string) => `https://x.example/off/${topic}`,
  };
  const notice = { topic: 'transfer', title: 'Lot A-1 is offered to you by Farm: accept or reject it.', link: '/offers' } as const;

  it.each(LANGUAGES)('has its frame and its links in %s', (language) => {
    const { subject, text } = noticeMailText('Rice', [notice, { ...notice, topic: 'webhook' }], addresses, language);
    expect(subject).toMatch(/^Rice: 2 /);
    for (const link of ['/portal/offers', '/off/transfer', '/off/webhook', '/off/all']) expect(text).toContain(`https://x.example${link}`);
    expect(/is offered|No more mails|All topics/.test(text)).toBe(language === 'en');
    expect(noticeMailText('Rice', [notice], addresses, language).subject).toBe(`Rice: ${titleIn(notice.title, language)}`);
  });
});
