import { attemptsAllowed, type RetrySchedule, waitAfter } from './schedule.js';

export const DELIVERY_STATUSES = ['pending', 'sending', 'retrying', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Who moves a delivery where: the worker claims and settles, an admin resends, deletion and deactivation discard. */
export const DELIVERY_TRANSITIONS: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  pending: ['sending', 'discarded'],
  sending: ['delivered', 'retrying', 'failed', 'discarded'],
  retrying: ['sending', 'pending', 'discarded'],
  delivered: ['pending'],
  failed: ['pending'],
  discarded: ['pending'],
};

/** From where an admin may send again; one in `sending` ends first, one in `pending` is on its way already. */
export const RESENDABLE = DELIVERY_STATUSES.filter((status) => DELIVERY_TRANSITIONS[status].includes('pending'));

/** A delivery whose lease and attempt number were committed before the socket opened (reliability-decisions §1.3). */
export interface ClaimedDelivery {
  readonly tenantId: string;
  readonly id: string;
  readonly subscriptionId: string;
  readonly event: string;
  /** The exact bytes, as text. */
  readonly body: string;
  /** Automatic attempts so far, this one included; 1 to 4. */
  readonly attempt: number;
  /** Attempts that an admin asked for, counted apart. */
  readonly resends: number;
  /** This attempt was asked for. */
  readonly manual: boolean;
  /** It was accepted once before: only a resend can be on its way. */
  readonly deliveredBefore: boolean;
  readonly startedAt: Date;
}

/** Why there was no answer. The tenant is told less: refused, reset and unresolved look alike to it. */
export type Silence = 'timeout' | 'not_allowed' | 'unreachable' | 'broken_off' | 'not_signed';

/** What came of one attempt. */
export type Outcome =
  | { readonly kind: 'answered'; readonly statusCode: number; readonly responseBody: string; readonly retryAfterMs: number | null }
  /** No answer, or none that was complete in time: then with the status that had arrived. */
  | {
      readonly kind: 'unanswered';
      readonly silence: Silence;
      readonly statusCode: number | null;
      readonly responseBody: string | null;
      readonly error: string;
    }
  /** The process ended before it could say: unknown, so try again. */
  | { readonly kind: 'interrupted' };

export interface Settlement {
  readonly status: Exclude<DeliveryStatus, 'pending' | 'sending'>;
  readonly nextAttemptAt: Date | null;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
}

export const isSuccess = (outcome: Outcome): boolean =>
  outcome.kind === 'answered' && outcome.statusCode >= 200 && outcome.statusCode <= 299;

/** Next state of a delivery after an attempt: 2xx only is success, one attempt and three retries, hard stop. */
export function settle(delivery: ClaimedDelivery, outcome: Outcome, schedule: RetrySchedule, at: Date, random: number): Settlement {
  const seen = {
    statusCode: outcome.kind === 'interrupted' ? null : outcome.statusCode,
    responseBody: outcome.kind === 'interrupted' ? null : outcome.responseBody,
    error: errorOf(outcome),
  };
  if (isSuccess(outcome)) return { status: 'delivered', nextAttemptAt: null, ...seen };
  if (delivery.deliveredBefore) return { status: 'delivered', nextAttemptAt: null, ...seen };
  const wait = retryWait(delivery, outcome, schedule, random);
  if (wait === null) return { status: 'failed', nextAttemptAt: null, ...seen };
  return { status: 'retrying', nextAttemptAt: new Date(at.getTime() + wait), ...seen };
}

function retryWait(delivery: ClaimedDelivery, outcome: Outcome, schedule: RetrySchedule, random: number): number | null {
  if (delivery.attempt >= attemptsAllowed(schedule)) return null;
  if (outcome.kind === 'interrupted') return 0; // our fault, not the receiver's
  return waitAfter(schedule, Math.max(1, delivery.attempt), outcome.kind === 'answered' ? outcome.retryAfterMs : null, random);
}

function errorOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'answered':
      if (isSuccess(outcome)) return null;
      return outcome.statusCode >= 300 && outcome.statusCode <= 399
        ? `The receiver answered ${outcome.statusCode}; redirects are not followed.`
        : `The receiver answered ${outcome.statusCode}.`;
    case 'interrupted':
      return 'The attempt was interrupted; whether the receiver got it is unknown.';
    default:
      return outcome.error;
  }
}
