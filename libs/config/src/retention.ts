import type { Reader } from './reader.js';

const [SECOND_MS, HOUR_MS, DAY_MS] = [1_000, 3_600_000, 86_400_000];
/** The database refuses to delete an entry of the audit log that is younger. */
const LEAST_AUDIT_DAYS = 365;

interface Period {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
  readonly unitMs: number;
}

const period = (unitMs: number, fallback: number, min: number, max: number): Period => ({ unitMs, fallback, min, max });
const days = (fallback: number, min: number, max = 36_500): Period => period(DAY_MS, fallback, min, max);

/** For how long rows are kept that are of no more use; 0, where it is allowed: without limit. */
const RETENTIONS = {
  // 24 months, for which FSMA 204 and most food law want records, and the time to answer a request about their last day.
  AUDIT_KEPT_DAYS: days(800, 0),
  API_KEYS_KEPT_DAYS: days(800, 0),
  SESSIONS_KEPT_DAYS: days(30, 1, 3_650),
  INVITED_USERS_KEPT_DAYS: days(90, 8, 3_650),
  REFRESH_MAX_SECONDS: period(SECOND_MS, 90 * 86_400, 60, 730 * 86_400),
  PREPARED_EVENT_SECONDS: period(SECOND_MS, 7 * 86_400, 60, 365 * 86_400),
  EXPIRED_EVENT_SECONDS: period(SECOND_MS, 90 * 86_400, 60, 3_650 * 86_400),
  UNSENT_CONTENTS_KEPT_DAYS: days(365, 0),
  ERROR_DECLARATIONS_KEPT_DAYS: days(365, 1),
  RETRACTIONS_KEPT_DAYS: days(365, 1),
  TX_KEPT_DAYS: days(365, 0),
  TX_DROPPED_KEPT_DAYS: days(30, 8, 3_650),
  DRILLS_KEPT_DAYS: days(1_095, 0),
  DOCUMENTS_KEPT_DAYS: days(0, 0),
  EPCIS_KEPT_DAYS: days(0, 0),
  IMPORTS_KEPT_DAYS: days(30, 1, 3_650),
  IDEMPOTENCY_KEPT_HOURS: period(HOUR_MS, 24, 1, 720),
  OUTBOX_KEPT_DAYS: days(30, 1, 3_650),
  TRACE_ORIGINS_KEPT_DAYS: days(7, 1, 365),
  ALERTS_KEPT_DAYS: days(730, 1),
  NOTICES_KEPT_DAYS: days(90, 1),
  CHANGES_KEPT_DAYS: days(90, 1, 3_650),
  WEBHOOK_RETENTION_DAYS: days(90, 1, 3_650),
  JOBS_COMPLETED_KEPT_SECONDS: period(SECOND_MS, 3_600, 60, 30 * 86_400),
  JOBS_FAILED_KEPT_SECONDS: period(SECOND_MS, 86_400, 60, 365 * 86_400),
} satisfies Readonly<Record<string, Period>>;

/** In milliseconds, by the name of the setting. */
export type RetentionConfig = Readonly<Record<keyof typeof RETENTIONS, number>>;

export function retention(read: Reader): RetentionConfig {
  const times = Object.entries(RETENTIONS).map(([name, { fallback, min, max, unitMs }]) => [
    name,
    read.integer(name, fallback, min, max) * unitMs,
  ]);
  const config = Object.fromEntries(times) as RetentionConfig;
  const audit = config.AUDIT_KEPT_DAYS / DAY_MS;
  if (audit > 0 && audit < LEAST_AUDIT_DAYS)
    read.faults.push(`AUDIT_KEPT_DAYS is ${audit}; it takes 0, without limit, or a whole number from ${LEAST_AUDIT_DAYS}`);
  return config;
}
