const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** "3 days", "1 hour": the largest unit that fits, rounded down. */
export function duration(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? UNITS.at(-1)!;
  return counted(Math.max(0, Math.floor(seconds / size)), name);
}

/** "1 lot", "2 lots". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string => `${count} ${count === 1 ? noun : plural}`;

/** "2 lots of milled rice"; without the group if it is empty. */
export const countedOf = (count: number, noun: string, group: string): string => counted(count, noun) + (group && ` of ${group}`);

/** Verb for a count: `be(1)` is "is". */
export const be = (count: number): string => (count === 1 ? 'is' : 'are');
export const have = (count: number): string => (count === 1 ? 'has' : 'have');

export const secondsBetween = (from: Date, to: Date): number => Math.floor((to.getTime() - from.getTime()) / 1_000);

export const day = (at: Date): string => at.toISOString().slice(0, 10);

/** "2026-09-17 20:00 UTC". */
export const moment = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** "65.00 %". */
export const percent = (ratio: number): string => `${(ratio * 100).toFixed(2)} %`;

/** Six decimals at most, without trailing zeros. */
export const kilograms = (kg: number): string => `${Math.round(kg * 1e6) / 1e6} kg`;

/** "a, b and c". */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
