import { Html, LANGUAGES, type Language, html, theirs } from '#kernel';
import { CATALOGUE, FIELD_NAMES, type TextKey } from './texts.page.js';

const SUFFIXES: Readonly<Record<string, string>> = {
  ...{ Percent: '%', Kg: 'kg', G: 'g', Gsm: 'g/m²', Micron: 'µm', Mm: 'mm', Cm: 'cm', Ml: 'ml', L: 'l' },
};
const UNIT = new RegExp(`^(.*[a-z\\d])(${Object.keys(SUFFIXES).join('|')})$`);
/** Units of UNECE Recommendation 20 as people write them. */
const UNIT_CODES: Readonly<Record<string, string>> = {
  ...{
    KGM: 'kg',
    GRM: 'g',
    TNE: 't',
    LTR: 'l',
    MTR: 'm',
    MTK: 'm²',
    MTQ: 'm³',
    AMH: 'Ah',
    VLT: 'V',
    KWT: 'kW',
    WTT: 'W',
    KWH: 'kWh',
    WHR: 'Wh',
  },
  ...{ OHM: 'Ω', P1: '%', CEL: '°C', DAY: 'd', MON: 'mo', ANN: 'a', H87: '×' },
};
/** A term of a vocabulary that a person would not read: its last name says it. */
const TERM = /^https:\/\/(?:ref\.openepcis\.io|ref\.gs1\.org|schema\.org)\/\S*?([A-Za-z][A-Za-z0-9-]*)$/;

/** `packaging.massPerUnitG` reads "Packaging mass per unit G"; `well_milled` "Well milled". */
function wordsOf(name: string): string {
  const text = name
    .replaceAll(/[._-]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Values as a person reads them in one language. */
export class Wording {
  private readonly place: number;
  private readonly countries: Intl.DisplayNames;

  constructor(readonly language: Language) {
    this.place = LANGUAGES.indexOf(language);
    this.countries = new Intl.DisplayNames([language], { type: 'region', fallback: 'code' });
  }

  text(key: TextKey, ...values: readonly string[]): string {
    return CATALOGUE.texts[key][this.place]!.replaceAll(/\{(\d)\}/g, (_, i: string) => values[Number(i)] ?? '');
  }

  /** A name of a process map in words. Names that are made of several are translated part by part. */
  name(name: string): string {
    const [first, ...others] = name.split('.').map((part) => this.known(wordsOf(part)));
    return [first, ...others.map((part) => (/^\p{Lu}{2}/u.test(part) ? part : part.charAt(0).toLowerCase() + part.slice(1)))].join(', ');
  }

  private known(words: string): string {
    return FIELD_NAMES.get(words.toLowerCase())?.[this.place] ?? words;
  }

  /** Any JSON value. */
  value(value: unknown): string {
    if (value === null || value === undefined) return '–';
    if (typeof value === 'boolean') return this.text(value ? 'yes' : 'no');
    if (typeof value === 'number') return this.number(value);
    if (typeof value === 'string') return this.words(value);
    if (Array.isArray(value)) return value.length === 0 ? this.text('none') : value.map((item) => this.value(item)).join(', ');
    const measure = this.measure(value);
    if (measure !== null) return measure;
    return Object.entries(value)
      .map(([name, member]) => this.measured(name, member))
      .map(([name, text]) => `${name.toLowerCase()}: ${text}`)
      .join('; ');
  }

  private words(value: string): string {
    if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return this.date(value);
    const term = TERM.exec(value);
    if (term) return this.known(wordsOf(term[1]!));
    return /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/i.test(value) ? value.replaceAll('_', ' ') : value;
  }

  /** `{ value, unitCode }` of GS1, and a text with its language of EN 18223; null for another object. */
  private measure(value: object): string | null {
    const { value: figure, unitCode, language, ...rest } = value as Readonly<Record<string, unknown>>;
    if (Object.keys(rest).length > 0) return null;
    if (typeof figure === 'string' && typeof language === 'string') return figure;
    if (typeof figure !== 'number' || typeof unitCode !== 'string') return null;
    return `${this.number(figure)} ${UNIT_CODES[unitCode] ?? unitCode}`;
  }

  /** Name and value in words; `massPerUnitG` 45 is "Mass per unit", "45 g". */
  measured(name: string, value: unknown): [string, string] {
    const [, of, unit] = UNIT.exec(name) ?? [];
    const numbers = [value].flat();
    if (of === undefined || unit === undefined || numbers.length === 0 || !numbers.every((one) => typeof one === 'number'))
      return [this.name(name), this.value(value)];
    return [this.name(of), numbers.map((one) => `${this.value(one)} ${SUFFIXES[unit]}`).join(', ')];
  }

  country(code: string | null): string {
    if (code === null) return this.text('placeNotStated');
    try {
      return this.countries.of(code) ?? code;
    } catch {
      return code;
    }
  }

  /** `2026-09` or `2026-09-21`, or an instant. */
  date(text: string | null): string {
    if (text === null) return '–';
    const isMonth = text.length === 7;
    const time = new Date(isMonth ? `${text}-01` : text);
    const day = isMonth ? {} : { day: 'numeric' as const };
    return Number.isNaN(time.getTime())
      ? text
      : new Intl.DateTimeFormat(this.language, { ...day, month: 'long', year: 'numeric', timeZone: 'UTC' }).format(time);
  }

  /** Three significant digits. */
  figure(value: number): string {
    return new Intl.NumberFormat(this.language, { maximumSignificantDigits: 3 }).format(value);
  }

  percent(ratio: number): string {
    return `${Math.floor(ratio * 100 + 1e-9)} %`;
  }

  /** Of longitude or latitude, to about ten metres. */
  degrees(value: number): string {
    return `${new Intl.NumberFormat(this.language, { minimumFractionDigits: 4, maximumFractionDigits: 4 }).format(value)}°`;
  }

  private number(value: number): string {
    return new Intl.NumberFormat(this.language, { maximumFractionDigits: 12, useGrouping: false }).format(value);
  }

  /** A line of a list of values; nothing without a value. */
  row(name: string, value: string | Html | null): Html | null {
    return value === null ? null : html`<dt>${theirs(name)}</dt><dd>${typeof value === 'string' ? theirs(value) : value}</dd>`;
  }

  /** Rows of named values; a web address becomes a link. */
  rows(values: Readonly<Record<string, unknown>>): Html {
    return html`${Object.entries(values).map(([name, value]) => {
      const [words, text] = this.measured(name, value);
      return this.row(words, linkOr(value, text));
    })}`;
  }
}

/** A web address becomes a link, unless its words say it better. */
function linkOr(value: unknown, words: string): string | Html {
  if (typeof value !== 'string' || words !== value || !/^https?:\/\/[^\s]+$/.test(value)) return words;
  return html`<a dir="auto" href="${value}" rel="nofollow noopener">${value}</a>`;
}

const wordings = new Map<Language, Wording>();

/** The one of a language: dates and countries take long to prepare. */
export function wordingIn(language: Language): Wording {
  const known = wordings.get(language) ?? new Wording(language);
  wordings.set(language, known);
  return known;
}
