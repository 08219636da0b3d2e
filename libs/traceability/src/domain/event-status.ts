/** Where an event stands; what is recorded is voided or superseded on chain, never taken away. */
export const EVENT_STATUSES = ['prepared', 'submitted', 'recorded', 'failed', 'expired', 'voided', 'superseded'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];
