const DATE = /^\d{4}-\d{2}-\d{2}$/;
const CLOCK = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?/;
const ZONE = /(Z|[+-]\d{2}:\d{2})$/;

/**
 * The only reader of times that clients write: ISO 8601 with an offset, or a date, which means midnight UTC.
 * @returns the time, or the code of what is wrong with it
 */
export function readInstant(text: string): Date | 'no_time_zone' | 'invalid_time' {
  const clock = CLOCK.exec(text)?.[0];
  const wellFormed = DATE.test(text) || clock === text || (clock !== undefined && ZONE.exec(text)?.[0] === text.slice(clock.length));
  if (!wellFormed || !isDay(text.slice(0, 10))) return 'invalid_time';
  if (clock === text) return 'no_time_zone';
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? 'invalid_time' : time;
}

/** Date would turn the 30th of February into a day of March. */
function isDay(isoDay: string): boolean {
  const day = new Date(`${isoDay}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === isoDay;
}

/** Milliseconds of `+07:00`; none, and what is no offset, is UTC. */
export function offsetMs(offset: string | null): number {
  const parts = /^([+-])(\d\d):(\d\d)$/.exec(offset ?? '');
  return parts ? (parts[1] === '-' ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3])) * 60_000 : 0;
}

/** The calendar day of a time at the place that has this offset. */
export const localDate = (at: Date, offset: string | null): string => new Date(at.getTime() + offsetMs(offset)).toISOString().slice(0, 10);
