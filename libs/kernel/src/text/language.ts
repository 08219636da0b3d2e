/** The languages of pages and mails, from the one that is used when nobody asks for another. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'vi'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of a page or a mail, by `Accept-Language` (RFC 9110 §12.5.4); of equals the first. */
export const languageOf = (accepted: string | undefined): Language => wantedLanguage(accepted) ?? LANGUAGES[0];

/** Null where none of ours is asked for, or any will do (`*`). */
export function wantedLanguage(accepted: string | undefined): Language | null {
  const wanted = (accepted ?? '').split(',').flatMap((part, i) => {
    const [, range, q = '1'] = /^\s*([A-Za-z*]{1,8})(?:-[\w-]*)?\s*(?:;\s*q=([\d.]{1,5}))?\s*$/.exec(part) ?? [];
    const language = LANGUAGES.find((one) => one === range?.toLowerCase()) ?? null;
    return (language !== null || range === '*') && Number(q) > 0 ? [{ language, q: Number(q), i }] : [];
  });
  return wanted.toSorted((a, b) => b.q - a.q || a.i - b.i)[0]?.language ?? null;
}
