import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** In their own names, as their speakers search for them. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', vi: 'Tiếng Việt' } as const;
export type Language = keyof typeof LANGUAGES;

/** A text of a list that is made before the language is known; `t` translates it where it is shown. */
export type Phrase = string & { readonly isPhrase: true };
/** A text as it is written in the source, so that tools/texts.mjs finds it; not one that is put together. */
type Written<T extends string> = string extends T ? never : T;
type Values = Readonly<Record<string, string | number>>;
/** English text to its translation; a text with a number has one for each plural category of the language. */
export type Catalogue = Readonly<Record<string, string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>>;

interface Speaking {
  readonly language: Language;
  /** How numbers and dates are written and read (BCP 47). */
  readonly locale: string;
  /** Empty for English, which is what the source says. */
  readonly catalogue: Catalogue;
}

/** state/choose-language.ts changes it. */
export const speaking = signal<Speaking>({ language: 'en', locale: 'en', catalogue: {} });
/** The time zone of all times that are shown. */
export const zone = signal(Intl.DateTimeFormat().resolvedOptions().timeZone);

export const locale = (): string => speaking.value.locale;

/** Marks a text of a list or a table that is made once, when the script is loaded. */
export const phrase = <const T extends string>(text: Written<T>): Phrase => text as string as Phrase;

/** The text in the language of the page. The English text is its key; `{name}` in it becomes a value, a number by the locale. */
export function t<const T extends string>(text: Written<T> | Phrase, values: Values = {}): string {
  return filled(translated(text), values).join('');
}

/** The same with elements as values: `tx('Sent by {who}', { who: <b>Mill</b> })`. */
export function tx<const T extends string>(
  text: Written<T> | Phrase,
  values: Readonly<Record<string, ComponentChildren>>,
): ComponentChildren[] {
  return filled(translated(text), values);
}

/** `plural(n, '{count} lot', '{count} lots')`: the form that the language has for this number. The last form is the key. */
export function plural<const One extends string, const Other extends string>(
  count: number,
  one: Written<One>,
  other: Written<Other>,
  values: Values = {},
): string {
  const entry = speaking.value.catalogue[other as string];
  const forms = typeof entry === 'object' ? entry : { one: one as string, other: other as string };
  const form = forms[new Intl.PluralRules(locale()).select(count)] ?? forms.other ?? other;
  return filled(form, { count, ...values }).join('');
}

/** Words that the service or a process map gives, where the catalogue has them. */
export function translated(text: string): string {
  const entry = speaking.value.catalogue[text];
  return typeof entry === 'string' ? entry : text;
}

function filled<V>(text: string, values: Readonly<Record<string, V>>): (V | string)[] {
  return text.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined || !Object.hasOwn(values, name)) return part;
    const value = values[name]!;
    return typeof value === 'number' ? new Intl.NumberFormat(locale(), { maximumFractionDigits: 3 }).format(value) : value;
  });
}
