import type { Language } from '#kernel';
import { TITLES } from './notice-texts.js';

/** `(s)` may be there, `(it|them)` is one of these, `{name}` is a value. */
const patternOf = (title: string): RegExp =>
  new RegExp(
    `^${title
      .replaceAll('.', String.raw`\.`)
      .replaceAll('(s)', 's?')
      .replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`,
    'su',
  );

const PATTERNS = TITLES.map(([title, texts]) => ({ pattern: patternOf(title), texts }));

/** A stored title in the language of who reads it; one that the catalogue lacks stays as it is. */
export function titleIn(title: string, language: Language): string {
  if (language === 'en') return title;
  for (const { pattern, texts } of PATTERNS) {
    const values = pattern.exec(title);
    if (values) return texts[language].replaceAll(/\{(\w+)\}/g, (_, name: string) => values.groups?.[name] ?? '');
  }
  return title;
}
