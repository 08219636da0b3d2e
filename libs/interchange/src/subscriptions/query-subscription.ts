import { type Problem, readInstant } from '#kernel';
import { type Json, isObject } from '../epcis/json.js';
import { type Schedule, readSchedule } from './schedule.js';

/** What somebody asks for (ISO/IEC 19987 §8.2.5 and §12.8). */
export interface SubscriptionRequest {
  readonly url: string;
  /** Null: as soon as there is something. */
  readonly schedule: Schedule | null;
  readonly reportIfEmpty: boolean;
  /** Events that were written since then are sent too; null: new ones only. */
  readonly initialRecordTime: Date | null;
}

export interface QuerySubscription extends Omit<SubscriptionRequest, 'url' | 'initialRecordTime'> {
  readonly id: string;
  readonly queryName: string;
  readonly webhookId: string;
  readonly nextDueAt: Date | null;
  readonly sentAt: Date | null;
  readonly since: Date;
  readonly origin: string;
  readonly createdAt: Date;
}

const MEMBERS: ReadonlySet<string> = new Set(['dest', 'schedule', 'stream', 'reportIfEmpty', 'initialRecordTime', '@context']);

export function readSubscription(body: Json): SubscriptionRequest | readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (member: string, code: string, message: string): void => void problems.push({ pointer: `/${member}`, code, message });
  for (const name of Object.keys(body))
    if (!MEMBERS.has(name)) refuse(name, 'unknown_field', `A subscription has no field ${name.slice(0, 100)}.`);
  const { dest, stream = false, schedule, reportIfEmpty = false, initialRecordTime } = body;
  if (typeof dest !== 'string') refuse('dest', 'required', 'dest is the URL that gets the results.');
  if (typeof stream !== 'boolean') refuse('stream', 'wrong_type', 'stream is true or false.');
  if (typeof reportIfEmpty !== 'boolean') refuse('reportIfEmpty', 'wrong_type', 'reportIfEmpty is true or false.');
  if ((stream === true) === (schedule !== undefined)) refuse('schedule', 'required', 'A subscription has a schedule, or stream: true.');
  if (stream === true && reportIfEmpty === true) refuse('reportIfEmpty', 'not_allowed', 'Only a schedule reports that there is nothing.');
  const read = isObject(schedule) ? readSchedule(schedule, '/schedule') : null;
  if (schedule !== undefined && read === null) refuse('schedule', 'wrong_type', 'schedule is an object.');
  if (Array.isArray(read)) problems.push(...(read as Problem[]));
  const since = typeof initialRecordTime === 'string' ? readInstant(initialRecordTime) : initialRecordTime;
  if (since !== undefined && !(since instanceof Date))
    refuse('initialRecordTime', 'invalid_time', 'initialRecordTime is a date and time with an offset (ISO 8601).');
  if (problems.length > 0) return problems;
  return {
    url: dest as string,
    schedule: read as Schedule | null,
    reportIfEmpty: reportIfEmpty as boolean,
    initialRecordTime: since instanceof Date ? since : null,
  };
}
