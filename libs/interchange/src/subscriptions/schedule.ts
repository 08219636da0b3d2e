import type { Problem } from '#kernel';

/** QuerySchedule (ISO/IEC 19987 §8.2.5.3), each field with the values that it allows. Times are UTC. */
export type Schedule = Readonly<Record<ScheduleField, readonly number[]>>;
export type ScheduleField = (typeof FIELDS)[number]['name'];

const FIELDS = [
  { name: 'second', least: 0, most: 59 },
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'dayOfMonth', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12 },
  { name: 'dayOfWeek', least: 1, most: 7 },
] as const;

/** Reads texts such as `0,30`, `[1-5]`, `*` or nothing, which is every value; 1 is Monday. */
export function readSchedule(given: Readonly<Record<string, unknown>>, at: string): Schedule | readonly Problem[] {
  const problems: Problem[] = Object.keys(given)
    .filter((name) => !FIELDS.some((field) => field.name === name))
    .map((name) => ({
      pointer: `${at}/${name}`,
      code: 'unknown_field',
      message: `A schedule has ${FIELDS.map((one) => one.name).join(', ')}.`,
    }));
  const found = FIELDS.map(({ name, least, most }) => {
    const values = valuesOf(given[name], least, most);
    if (values === null)
      problems.push({
        pointer: `${at}/${name}`,
        code: 'out_of_range',
        message: `${name} is a list of numbers from ${least} to ${most}, or of ranges as [1-5], separated by commas.`,
      });
    return [name, values ?? []] as const;
  });
  if (problems.length > 0) return problems;
  const schedule = Object.fromEntries(found) as unknown as Schedule;
  // The 31st of February never comes.
  const isPossible = schedule.month.some((month) => schedule.dayOfMonth[0]! <= LONGEST[month - 1]!);
  if (isPossible) return schedule;
  return [{ pointer: `${at}/dayOfMonth`, code: 'out_of_range', message: 'No month of the schedule has such a day.' }];
}

const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function valuesOf(given: unknown, least: number, most: number): readonly number[] | null {
  const text = typeof given === 'number' ? String(given) : given;
  if (text === undefined || text === '' || text === '*') return range(least, most);
  if (typeof text !== 'string' || text.length > 200) return null;
  const all = new Set<number>();
  for (const part of text.split(',')) {
    const [, from, to] = /^\s*\[?(\d{1,2})(?:-(\d{1,2}))?\]?\s*$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to ?? from)];
    if (from === undefined || first < least || last > most || first > last) return null;
    for (const value of range(first, last)) all.add(value);
  }
  return [...all].toSorted((a, b) => a - b);
}

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Five leap years, over the century that has none. */
const MOST_DAYS = 366 * 40;
const DAY_MS = 86_400_000;

/** The first time behind `after` that fits. */
export function nextDue(schedule: Schedule, after: Date): Date {
  const from = new Date(after.getTime() + 1000 - (after.getTime() % 1000));
  const today = Math.floor(from.getTime() / DAY_MS) * DAY_MS;
  for (let day = 0; day < MOST_DAYS; day++) {
    const date = new Date(today + day * DAY_MS);
    if (!isDay(schedule, date)) continue;
    const seconds = secondOfDay(schedule, day === 0 ? (from.getTime() - today) / 1000 : 0);
    if (seconds !== null) return new Date(date.getTime() + seconds * 1000);
  }
  throw new Error('no day fits the schedule');
}

const isDay = (schedule: Schedule, date: Date): boolean =>
  schedule.month.includes(date.getUTCMonth() + 1) &&
  schedule.dayOfMonth.includes(date.getUTCDate()) &&
  schedule.dayOfWeek.includes(date.getUTCDay() || 7);

/** The first second of a day from `least` on; null: none is left. */
function secondOfDay({ hour, minute, second }: Schedule, least: number): number | null {
  for (const h of hour) {
    if (h * 3600 + 3599 < least) continue;
    for (const m of minute) {
      if (h * 3600 + m * 60 + 59 < least) continue;
      const s = second.find((one) => h * 3600 + m * 60 + one >= least);
      if (s !== undefined) return h * 3600 + m * 60 + s;
    }
  }
  return null;
}
