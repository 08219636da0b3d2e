import { atPointer } from '#kernel';
import type { Process } from './process-map.js';

const DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const DAY_MS = 86_400_000;

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

/** The instant at which a stated date is over: a calendar date lasts until the end of its day at the place of the event. */
export function endOf(value: unknown, offset: string | null): Date | null {
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
export function expiryOf(process: Process, metadata: unknown, offset: string | null, inputs: readonly Date[]): Expiry {
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
