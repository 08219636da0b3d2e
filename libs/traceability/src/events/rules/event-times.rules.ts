import { atPointer, offsetMs } from '#kernel';
import { type NamedLot, placeOf, type Reading, type Issue, fault, inMetadata, remark } from '../../process-maps/event-reading.js';
import { type PublishedProcess, type Process, placesOfKde } from '../../process-maps/process-map.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Event time is one of three clocks; the service only reports what cannot be right (docs/spec/domain.md#pitfalls). */
export function clockIssues({ process }: PublishedProcess, reading: Reading, lots: readonly NamedLot[], now: Date): Issue[] {
  const time = reading.eventTime;
  if (!time) return [];
  const at = inMetadata(placeOf(process, 'eventTime'));
  const ahead = time.getTime() - now.getTime();
  if (ahead > DAY_MS) return [fault(at, 'event_in_future', 'is more than 24 hours ahead of the clock of the service')];
  if (time.getTime() < Date.UTC(1900, 0)) return [fault(at, 'event_too_old', 'is before 1900')];
  const issues: Issue[] = [];
  if (ahead > 5 * MINUTE_MS) issues.push(remark(at, 'event_in_future', 'is more than 5 minutes ahead of the clock of the service'));
  const youngest = lots.find((lot) => lot.madeAt !== null && lot.madeAt > time);
  if (youngest) issues.push(remark(at, 'event_out_of_order', `is before ${youngest.tlc} was made (${youngest.madeAt!.toISOString()})`));
  return issues;
}

export function isLate({ map }: PublishedProcess, eventTime: Date | null, now: Date): boolean {
  return eventTime !== null && now.getTime() - eventTime.getTime() > durationMs(map.document.defaults?.lateAfter ?? 'PT24H');
}

export function lateIssues(published: PublishedProcess, reading: Reading, now: Date): Issue[] {
  const after = published.map.document.defaults?.lateAfter ?? 'PT24H';
  return isLate(published, reading.eventTime, now)
    ? [remark(inMetadata(placeOf(published.process, 'eventTime')), 'event_late', `is recorded later than ${after} after it happened`)]
    : [];
}

/** The event states its own dates a few days after the fact; a date before that is one of another happening, or mistyped. */
const MOST_DAYS_BEFORE = 7;

/** Date KDEs are calendar dates at the place of the event: one that is far from it was mistyped, and so was an expiry before it. */
export function dateIssues({ process }: PublishedProcess, reading: Reading, metadata: unknown): Issue[] {
  const time = reading.eventTime;
  if (!time) return [];
  const local = time.getTime() + offsetMs(reading.eventTimeZoneOffset);
  const dates = (process.kdes ?? []).flatMap((kde) => placesOfKde(kde).map((path) => ({ path, ofInput: kde.of === 'input' })));
  return [
    ...dates.flatMap(({ path, ofInput }) => {
      const midnight = path.endsWith('On') ? dayOf(atPointer(metadata, path)) : null;
      if (midnight === null) return [];
      if (midnight - local > DAY_MS) return [remark(inMetadata(path), 'date_after_event', 'is more than a day after the event')];
      // An input may have been harvested or received long ago.
      const isBefore = !ofInput && local - midnight > (MOST_DAYS_BEFORE + 1) * DAY_MS;
      return isBefore ? [remark(inMetadata(path), 'date_before_event', `is more than ${MOST_DAYS_BEFORE} days before the event`)] : [];
    }),
    ...expiryIssues(process, reading, local),
  ];
}

function expiryIssues(process: Process, { expiry }: Reading, local: number): Issue[] {
  const midnight = dayOf(expiry);
  if (midnight === null || midnight + DAY_MS > local) return [];
  return [
    remark(
      inMetadata(placeOf(process, 'expiry')),
      'expiry_before_event',
      'is before the event: the goods would be expired when they are made',
    ),
  ];
}

/** Midnight of a calendar date, as if it were in UTC; null for anything else. */
function dayOf(value: unknown): number | null {
  const midnight = typeof value === 'string' && /^\d{4}-\d\d-\d\d(T|$)/.test(value) ? Date.parse(`${value.slice(0, 10)}T00:00:00Z`) : NaN;
  return Number.isNaN(midnight) ? null : midnight;
}

const DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/** An instant plus an ISO 8601 period, in UTC; a month too short for the day ends on its last one. */
export function plus(from: Date, duration: string): Date {
  const [, years, months, weeks, days, hours, minutes, seconds] = (DURATION.exec(duration) ?? []).map((part) => Number(part ?? 0));
  const moved = new Date(from);
  const day = moved.getUTCDate();
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + 12 * (years ?? 0) + (months ?? 0));
  moved.setUTCDate(Math.min(day, new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate()));
  const clock = ((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
  return new Date(moved.getTime() + ((weeks ?? 0) * 7 + (days ?? 0)) * DAY_MS + clock * 1000);
}

export const durationMs = (duration: string): number => plus(new Date(0), duration).getTime();

/** The instant at which a stated date ends: a calendar date lasts until the end of its day at the place of the event. */
function endOf(value: unknown, offset: string | null): Date | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(T|$)/.test(value)) return null;
  const local = value.length === 10 ? `${value}T23:59:59${offset ?? 'Z'}` : value;
  const instant = new Date(local);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

/** The chain keeps seconds since 1970 and the database years of four digits. */
export const isStorable = (at: Date): boolean => at.getTime() >= 0 && at.getTime() < Date.UTC(10_000, 0);

export interface Expiry {
  readonly at: Date | null;
  /** The stated date was later than the earliest expiry of the inputs, which took its place (`capByInputs`). */
  readonly capped: boolean;
}

/** @param inputs expiries of the lots that were used */
export function expiryOf(process: Pick<Process, 'expiry'>, metadata: unknown, offset: string | null, inputs: readonly Date[]): Expiry {
  const rule = process.expiry;
  if (!rule || rule.rule === 'none') return { at: null, capped: false };
  const earliest = inputs.length > 0 ? new Date(Math.min(...inputs.map((date) => date.getTime()))) : null;
  const stated = rule.rule === 'inherit_min' ? earliest : statedExpiry(rule, metadata, offset);
  return rule.capByInputs && stated && earliest && earliest < stated ? { at: earliest, capped: true } : { at: stated, capped: false };
}

function statedExpiry(rule: NonNullable<Process['expiry']>, metadata: unknown, offset: string | null): Date | null {
  const override = rule.override === undefined ? null : endOf(atPointer(metadata, rule.override), offset);
  if (override) return override;
  const from = rule.from === undefined ? null : endOf(atPointer(metadata, rule.from), offset);
  return from && rule.rule === 'duration' && rule.duration !== undefined ? plus(from, rule.duration) : from;
}
