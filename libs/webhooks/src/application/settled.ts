import { isSuccess, settle } from '../domain/delivery.js';
import type { Settled, WebhookSettings } from '../ports.js';
import type { Attempted } from './attempt-delivery.js';

/** What becomes of a delivery after an attempt, with this operator's schedule and a chance of its own. */
export function settledBy({ retry }: WebhookSettings, { delivery, outcome, endedAt }: Attempted): Settled {
  return { delivery, settlement: settle(delivery, outcome, retry, endedAt, Math.random()), endedAt, success: isSuccess(outcome) };
}
