/** The languages of pages and mails, from the one that is used when nobody asks for another. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'vi'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of a page or a mail, by `Accept-Language` (RFC 9110 §12.5.4); of equals the first. */
export function languageOf(accepted: string | undefined): Language {
  const wanted = (accepted ?? '').split(',').flatMap((part, i) => {
    const [, range, q = '1'] = /^\s*([A-Za-z*]{1,8})(?:-[\w-]*)?\s*(?:;\s*q=([\d.]{1,5}))?\s*$/.exec(part) ?? [];
    const language = range === '*' ? LANGUAGES[0] : LANGUAGES.find((one) => one === range?.toLowerCase());
    return language !== undefined && Number(q) > 0 ? [{ language, q: Number(q), i }] : [];
  });
  return wanted.toSorted((a, b) => b.q - a.q || a.i - b.i)[0]?.language ?? LANGUAGES[0];
}
