import type { PostOutcome, Silence } from '../outbound/outcome.js';

export const DELIVERY_STATUSES = ['pending', 'sending', 'retrying', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The worker leases and settles, an admin resends, deletion and deactivation discard. */
export const DELIVERY_TRANSITIONS: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  pending: ['sending', 'discarded'],
  sending: ['delivered', 'retrying', 'failed', 'discarded'],
  retrying: ['sending', 'pending', 'discarded'],
  delivered: ['pending'],
  failed: ['pending'],
  discarded: ['pending'],
};

/** States from which an admin may resend. One in `sending` ends first, one in `pending` will be sent anyway. */
export const RESENDABLE = DELIVERY_STATUSES.filter((status) => DELIVERY_TRANSITIONS[status].includes('pending'));

/** A delivery whose lease and attempt number were committed before the socket opened (docs/spec/reliability.md#webhooks). */
export interface LeasedDelivery {
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
  /** It was accepted once before: only a resend can be running. */
  readonly deliveredBefore: boolean;
  readonly startedAt: Date;
}

export type Outcome =
  | PostOutcome
  /** The process ended before it could record an outcome: unknown, so try again. */
  | { readonly kind: 'interrupted' };

/** The outcome of an attempt as metrics count it. */
export type AttemptResult = 'success' | 'http_3xx' | 'http_4xx' | 'http_5xx' | 'http_other' | Silence | 'interrupted';

export function attemptResult(outcome: Outcome): AttemptResult {
  if (outcome.kind === 'answered') return ANSWERS[Math.trunc(outcome.statusCode / 100)] ?? 'http_other';
  return outcome.kind === 'unanswered' ? outcome.silence : outcome.kind;
}

const ANSWERS: Readonly<Record<number, AttemptResult>> = { 2: 'success', 3: 'http_3xx', 4: 'http_4xx', 5: 'http_5xx' };

export interface Settlement {
  readonly status: Exclude<DeliveryStatus, 'pending' | 'sending'>;
  readonly nextAttemptAt: Date | null;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
}

/** Told of each attempt of this process, once its outcome is committed. */
export abstract class AttemptListener {
  /** @param status of the delivery after the attempt */
  abstract settled(result: AttemptResult, status: Settlement['status']): void;
}

export const isSuccess = (outcome: Outcome): boolean =>
  outcome.kind === 'answered' && outcome.statusCode >= 200 && outcome.statusCode <= 299;

/** Next state of a delivery after an attempt: only 2xx is success; one attempt and three retries, then it has failed. */
export function settle(delivery: LeasedDelivery, outcome: Outcome, schedule: RetrySchedule, at: Date, random: number): Settlement {
  const answer = {
    statusCode: outcome.kind === 'interrupted' ? null : outcome.statusCode,
    responseBody: outcome.kind === 'interrupted' ? null : outcome.responseBody,
    error: errorOf(outcome),
  };
  if (isSuccess(outcome)) return { status: 'delivered', nextAttemptAt: null, ...answer };
  if (delivery.deliveredBefore) return { status: 'delivered', nextAttemptAt: null, ...answer };
  const wait = retryWait(delivery, outcome, schedule, random);
  if (wait === null) return { status: 'failed', nextAttemptAt: null, ...answer };
  return { status: 'retrying', nextAttemptAt: new Date(at.getTime() + wait), ...answer };
}

function retryWait(delivery: LeasedDelivery, outcome: Outcome, schedule: RetrySchedule, random: number): number | null {
  if (delivery.attempt >= attemptsAllowed(schedule)) return null;
  if (outcome.kind === 'interrupted') return 0; // not the receiver's fault
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

/** When the next attempt comes (docs/spec/service.md#delivery-and-retry, docs/spec/reliability.md#webhooks). Milliseconds. */
interface RetrySchedule {
  /** Waits before the second, third and fourth attempt; there are never more attempts than these plus one. */
  readonly delaysMs: readonly number[];
  /** Largest lengthening by chance, 0.1 = 10 %. */
  readonly jitter: number;
}

export const attemptsAllowed = (schedule: RetrySchedule): number => schedule.delaysMs.length + 1;

/**
 * @param attempt the automatic attempt that failed, from 1
 * @param retryAfterMs what the receiver asked for: lengthens every wait but the first, at most twofold
 * @param random from 0 up to 1
 */
export function waitAfter(schedule: RetrySchedule, attempt: number, retryAfterMs: number | null, random: number): number | null {
  const delay = schedule.delaysMs[attempt - 1];
  if (delay === undefined) return null;
  const asked = attempt === 1 || retryAfterMs === null ? delay : Math.min(Math.max(delay, retryAfterMs), 2 * delay);
  return Math.round(asked * (1 + schedule.jitter * random));
}
