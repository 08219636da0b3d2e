import { type Catalogue, LANGUAGES, type Language, speaking, zone } from './language';

/** Loaded when somebody chooses the language. */
const CATALOGUES: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly default: Catalogue }>>> = {
  de: () => import('../languages/de.json'),
  fr: () => import('../languages/fr.json'),
  es: () => import('../languages/es.json'),
  vi: () => import('../languages/vi.json'),
};
const RIGHT_TO_LEFT = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'ur', 'yi']);
const KEY = 'portal.language';
const ZONE_KEY = 'portal.zone';

const isLanguage = (tag: string | null): tag is Language => tag !== null && Object.hasOwn(LANGUAGES, tag);
const primary = (tag: string): string => tag.split('-', 1)[0]!.toLowerCase();

/** What the person chose in this browser; otherwise what the browser asks for first. */
export async function startLanguage(): Promise<void> {
  const kept = localStorage.getItem(KEY);
  const wanted = isLanguage(kept) ? kept : navigator.languages.map(primary).find(isLanguage);
  zone.value = localStorage.getItem(ZONE_KEY) ?? zone.value;
  // Without its texts the page is in English, and works.
  await speak(wanted ?? 'en').catch(() => speak('en'));
}

/** @throws Error where its texts cannot be loaded; the language stays as it was */
export async function chooseLanguage(language: Language): Promise<void> {
  await speak(language);
  localStorage.setItem(KEY, language);
}

export function chooseZone(name: string): void {
  zone.value = name;
  localStorage.setItem(ZONE_KEY, name);
}

async function speak(language: Language): Promise<void> {
  const catalogue = language === 'en' ? {} : (await CATALOGUES[language]()).default;
  // Dates and numbers as in the country that the browser names, if it speaks this language.
  const locale = navigator.languages.find((tag) => primary(tag) === language) ?? language;
  speaking.value = { language, locale, catalogue };
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}
