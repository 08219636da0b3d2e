import { type Problem, isObject, readInstant, wrongIdentifier } from '#kernel';

/**
 * When and where goods changed hands, as a note of custody says it (docs/spec/domain.md#custody): `handedOverAt` and `location` of its
 * metadata. The chain knows only when that was recorded.
 */
export interface HandOver {
  /** Null: the note does not say. */
  readonly at: Date | null;
  /** `±hh:mm`, as it was written; null for UTC. */
  readonly timeZoneOffset: string | null;
  /** In the shape of the location of an event; null: the note does not say. */
  readonly location: Readonly<Record<string, unknown>> | null;
}

type Metadata = Readonly<Record<string, unknown>>;

/** Null where the note says neither. */
export function handOverIn({ handedOverAt, location }: Metadata): HandOver | null {
  const at = typeof handedOverAt === 'string' ? readInstant(handedOverAt) : null;
  const time = at instanceof Date ? at : null;
  const place = isObject(location) ? location : null;
  if (time === null && place === null) return null;
  return { at: time, timeZoneOffset: time && (/[+-]\d\d:\d\d$/.exec(String(handedOverAt))?.[0] ?? null), location: place };
}

/** As for events: a little ahead may be a clock, a day ahead is not. */
const AHEAD_MS = 24 * 60 * 60_000;

export function handOverProblems({ handedOverAt, location }: Metadata, now: Date): Problem[] {
  return [...timeProblems(handedOverAt, now), ...placeProblems(location)];
}

function timeProblems(value: unknown, now: Date): Problem[] {
  if (value === undefined) return [];
  const problem = (code: string, message: string): Problem[] => [{ pointer: '/metadata/handedOverAt', code, message }];
  const at = typeof value === 'string' && value.length > 10 ? readInstant(value) : 'invalid_time';
  if (!(at instanceof Date)) return problem(at, 'must be a time in ISO 8601 with its offset');
  return at.getTime() > now.getTime() + AHEAD_MS ? problem('in_the_future', 'is more than a day ahead') : [];
}

function placeProblems(location: unknown): Problem[] {
  if (location === undefined) return [];
  const at = '/metadata/location';
  if (!isObject(location)) return [{ pointer: at, code: 'wrong_type', message: 'must be an object, like the location of an event' }];
  const inId = typeof location['id'] === 'string' ? /\/414\/(\d{13})/.exec(location['id'])?.[1] : undefined;
  const wrong = (name: string, gln: unknown): Problem[] =>
    wrongIdentifier('gln', gln)
      ? [{ pointer: `${at}/${name}`, code: 'wrong_check_digit', message: 'the check digit of the GLN is wrong' }]
      : [];
  const differs = inId !== undefined && location['gln'] !== undefined && location['gln'] !== inId;
  return [
    ...wrong('gln', location['gln']),
    ...wrong('id', inId),
    ...(differs ? [{ pointer: `${at}/id`, code: 'gln_mismatch', message: 'names another GLN than gln' }] : []),
  ];
}
