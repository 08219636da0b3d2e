import { atPointer, offsetMs } from '#kernel';
import { isPatternFault, knownPattern } from '../../process-maps/schemas/linear-pattern.js';
import type { Process } from '../../process-maps/process-map.js';

/** Where a template's word is looked for when the metadata has no key of that very name. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  field: ['/fieldName', '/plot/id', '/plot/name'],
  line: ['/classLine', '/lineId'],
  style: ['/styleCode'],
  mob: ['/mobId', '/property/pic'],
};

export interface TlcTemplate {
  /** Words of the template without a value. */
  readonly missing: readonly string[];
  /** What its codes have in common: they differ by their number alone. */
  readonly series: string;
  /** It is a code that the caller states in the metadata, and has no other. */
  readonly isGiven: boolean;
  /** @param number from 1 @returns null where the pattern of the process takes no further code */
  code(number: number): string | null;
}

/** How a template without `{seq}` counts from its second code on: with the first mark that the pattern of the process takes. */
const MARKS = ['-', 'X', ''] as const;

/**
 * `{date} {yy} {doy} {week} {seq} {sscc}` and words of the metadata. Dates are those of the calendar at the place of the event;
 * together with `{week}`, `{yy}` is the year of the ISO 8601 week.
 */
export function tlcTemplate(
  { template = '', pattern }: NonNullable<Process['tlc']>,
  metadata: unknown,
  eventTime: Date,
  offset: string | null,
): TlcTemplate {
  const words = [...template.matchAll(/\{([a-zA-Z]+)\}/g)].map((match) => match[1]!);
  const dates = calendar(new Date(eventTime.getTime() + offsetMs(offset)), words.includes('week'));
  const values = new Map(words.map((word) => [word, dates[word] ?? wordOf(word, metadata)]));
  const filled = (sequence: string): string =>
    template.replaceAll(/\{([a-zA-Z]+)\}/g, (_, word: string) => (word === 'seq' ? sequence : (values.get(word) ?? '')));
  const counted = (number: number): string | null =>
    MARKS.map((mark) => `${filled('')}${mark}${number}`).find((code) => fitsPattern(pattern, code)) ?? null;
  return {
    missing: words.filter((word) => word !== 'seq' && values.get(word) === null),
    series: filled('{seq}'),
    isGiven: template === '{sscc}',
    code: (number) => (words.includes('seq') ? filled(String(number).padStart(2, '0')) : number < 2 ? filled('') : counted(number)),
  };
}

/** Whether a code is one that the process takes. */
export function fitsPattern(source: string | undefined, tlc: string): boolean {
  if (source === undefined) return true;
  const pattern = knownPattern(source);
  return !isPatternFault(pattern) && pattern.test(tlc);
}

function wordOf(word: string, metadata: unknown): string | null {
  for (const pointer of [`/${word}`, ...(ALIASES[word] ?? [])]) {
    const value = atPointer(metadata, pointer);
    // A longer one makes no code: codes have 64 characters.
    if ((typeof value === 'string' && value.length <= 256) || typeof value === 'number') {
      const code = String(value)
        .toUpperCase()
        .replaceAll(/[^A-Z0-9-]/g, '');
      if (code !== '') return code;
    }
  }
  return null;
}

function calendar(local: Date, byWeek: boolean): Readonly<Record<string, string>> {
  const year = local.getUTCFullYear();
  const dayOfYear = Math.floor((Date.UTC(year, local.getUTCMonth(), local.getUTCDate()) - Date.UTC(year, 0, 1)) / 86_400_000) + 1;
  const thursday = new Date(Date.UTC(year, local.getUTCMonth(), local.getUTCDate() + 4 - (local.getUTCDay() || 7)));
  const week = Math.ceil(((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / 86_400_000 + 1) / 7);
  return {
    date: local.toISOString().slice(0, 10).replaceAll('-', ''),
    yy: String(byWeek ? thursday.getUTCFullYear() : year).slice(-2),
    doy: String(dayOfYear).padStart(3, '0'),
    week: String(week).padStart(2, '0'),
  };
}
