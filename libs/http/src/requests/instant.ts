import { malformedRequest } from '../errors/refusals.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const CLOCK = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?/;
const ZONE = /(Z|[+-]\d{2}:\d{2})$/;

/**
 * A point in time in a query: ISO 8601 with an offset, or a date, which begins at midnight UTC. A plus sign that was sent
 * unescaped arrives as a space and is read as what it was meant for.
 * @throws DomainError 400 with the code `no_time_zone` or `invalid_time`
 */
export function instantIn(text: string, pointer: string): Date {
  const meant = text.replace(/ (?=\d{2}:\d{2}$)/, '+');
  const clock = CLOCK.exec(meant)?.[0];
  if (clock === meant)
    throw malformedRequest([{ pointer, code: 'no_time_zone', message: `${text} has no time zone: add Z or an offset like +07:00.` }]);
  const wellFormed = DATE.test(meant) || (clock !== undefined && ZONE.exec(meant)?.[0] === meant.slice(clock.length));
  const date = new Date(meant);
  // Date rolls the 30th of February over into March.
  const day = wellFormed && new Date(`${meant.slice(0, 10)}T00:00:00Z`);
  if (!day || Number.isNaN(date.getTime()) || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== meant.slice(0, 10))
    throw malformedRequest([{ pointer, code: 'invalid_time', message: `${text} is no point in time.` }]);
  return date;
}
