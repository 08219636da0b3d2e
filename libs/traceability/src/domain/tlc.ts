import { atPointer } from '#kernel';

/** 1 to 64 characters of GS1 character set 82 (General Specifications, figure 7.11-1). */
const TLC = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,64}$/;
export const isTlc = (text: string): boolean => TLC.test(text);

/** Where a template's word is looked for when the metadata has no key of that very name. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  field: ['/fieldName', '/plot/id', '/plot/name'],
  line: ['/classLine', '/lineId'],
  style: ['/styleCode'],
  mob: ['/mobId', '/property/pic'],
};

export interface TlcTemplate {
  /** Words that nothing stands for. */
  readonly missing: readonly string[];
  readonly hasSequence: boolean;
  code(sequence: number): string;
}

/**
 * `{date} {yy} {doy} {week} {seq} {sscc}` and words of the metadata. Dates are those of the calendar at the place of the event;
 * beside `{week}`, `{yy}` is the year of the ISO 8601 week.
 */
export function tlcTemplate(template: string, metadata: unknown, eventTime: Date, offset: string | null): TlcTemplate {
  const words = [...template.matchAll(/\{([a-zA-Z]+)\}/g)].map((match) => match[1]!);
  const dates = calendar(new Date(eventTime.getTime() + offsetMs(offset)), words.includes('week'));
  const values = new Map(words.map((word) => [word, dates[word] ?? wordOf(word, metadata)]));
  return {
    missing: words.filter((word) => word !== 'seq' && values.get(word) === null),
    hasSequence: words.includes('seq'),
    code: (sequence) =>
      template.replaceAll(/\{([a-zA-Z]+)\}/g, (_, word: string) =>
        word === 'seq' ? String(sequence).padStart(2, '0') : (values.get(word) ?? ''),
      ),
  };
}

function wordOf(word: string, metadata: unknown): string | null {
  for (const pointer of [`/${word}`, ...(ALIASES[word] ?? [])]) {
    const value = atPointer(metadata, pointer);
    if (typeof value === 'string' || typeof value === 'number') {
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

/** Milliseconds of `+07:00`; none is UTC. */
export function offsetMs(offset: string | null): number {
  const parts = /^([+-])(\d\d):(\d\d)$/.exec(offset ?? '');
  return parts ? (parts[1] === '-' ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3])) * 60_000 : 0;
}
