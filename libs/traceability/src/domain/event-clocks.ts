import { atPointer } from '#kernel';
import type { NamedLot } from './event-context.js';
import { placeOf, type Reading } from './event-reading.js';
import { durationMs } from './expiry.js';
import { type Issue, fault, inMetadata, remark } from './issue.js';
import type { PublishedProcess } from './process-map.js';
import { offsetMs } from './tlc.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Event time is one of three clocks; the service only says where it cannot be right (domain-decisions §9). */
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

/** Date KDEs are calendar dates at the place of the event: one that lies after the event by more than a day was mistyped. */
export function dateIssues({ process }: PublishedProcess, reading: Reading, metadata: unknown): Issue[] {
  const time = reading.eventTime;
  if (!time) return [];
  const local = time.getTime() + offsetMs(reading.eventTimeZoneOffset);
  return (process.kdes ?? []).flatMap(({ path }) => {
    const value = atPointer(metadata, path);
    if (!path.endsWith('On') || typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return [];
    const midnight = Date.parse(`${value}T00:00:00Z`);
    return midnight - local > DAY_MS ? [remark(inMetadata(path), 'date_after_event', 'lies more than a day after the event')] : [];
  });
}
