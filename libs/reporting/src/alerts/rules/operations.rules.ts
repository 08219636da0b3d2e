import { type Finding, type Rule, eventSubject, newestMap } from './rule.js';
import { eventName } from './event.rules.js';
import { be, counted, duration, have, moment, secondsBetween } from './wording.js';

/** A tracked transaction. */
export interface TransactionFacts {
  readonly trackingId: string;
  readonly txHash: string;
  readonly type: string;
  readonly status: string;
  readonly submittedAt: Date;
  readonly failedAt: Date | null;
  readonly revertReason: string | null;
  readonly eventId: string | null;
  readonly orgIds: readonly string[];
}

/** An event that was prepared and is not confirmed. */
export interface PreparedFacts {
  readonly id: string;
  readonly processType: string | null;
  readonly processLabel: string | null;
  readonly outputTlc: string | null;
  readonly preparedAt: Date;
  readonly expiresAt: Date | null;
  readonly orgIds: readonly string[];
}

const OPEN_STATUSES: readonly string[] = ['submitted', 'pending', 'confirming'];

const aboutTransaction = (
  transaction: TransactionFacts,
  finding: Pick<Finding, 'type' | 'severity' | 'title' | 'detail' | 'evidence' | 'threshold'>,
): Finding => ({
  ...finding,
  subject: { kind: 'transaction', id: transaction.trackingId, tokenId: null, tlc: null },
  key: '',
  group: '',
  orgIds: transaction.orgIds,
});

export const txStuck: Rule<TransactionFacts> = {
  type: 'TX_STUCK',
  recommendation: 'Send it again with the same nonce and a higher fee.',
  reference: null,
  headline: (count) => `${counted(count, 'transaction')} ${be(count)} stuck`,
  judge(transaction, { now, thresholds }) {
    const { txHash, status, submittedAt, eventId } = transaction;
    const open = secondsBetween(submittedAt, now);
    if (!OPEN_STATUSES.includes(status) || open <= thresholds.txStuckAfterSeconds) return [];
    return [
      aboutTransaction(transaction, {
        type: 'TX_STUCK',
        severity: 'medium',
        title: `Transaction ${txHash.slice(0, 10)}… is still ${status}`,
        detail: `It was registered ${duration(open)} ago and is ${status}; the limit is ${duration(thresholds.txStuckAfterSeconds)}.`,
        evidence: { txHash, status, submittedAt: submittedAt.toISOString(), eventId },
        threshold: { txStuckAfterSeconds: thresholds.txStuckAfterSeconds },
      }),
    ];
  },
};

export const txFailed: Rule<TransactionFacts> = {
  type: 'TX_FAILED',
  recommendation: 'Read the revert reason, correct the cause and prepare the transaction again.',
  reference: null,
  headline: (count) => `${counted(count, 'transaction')} ${have(count)} failed`,
  judge(transaction, { now, thresholds }) {
    const { txHash, revertReason, eventId } = transaction;
    const failedAt = transaction.failedAt ?? transaction.submittedAt;
    if (transaction.status !== 'failed' || secondsBetween(failedAt, now) > thresholds.txFailedWithinSeconds) return [];
    return [
      aboutTransaction(transaction, {
        type: 'TX_FAILED',
        severity: 'high',
        title: `Transaction ${txHash.slice(0, 10)}… failed`,
        detail: revertReason === null ? 'It reverted without a reason.' : `It reverted: ${revertReason}.`,
        evidence: { txHash, failedAt: failedAt.toISOString(), revertReason, eventId },
        threshold: { txFailedWithinSeconds: thresholds.txFailedWithinSeconds },
      }),
    ];
  },
};

export const eventUnsubmitted: Rule<PreparedFacts> = {
  type: 'EVENT_UNSUBMITTED',
  recommendation: 'Sign and send its transaction, or withdraw the event.',
  reference: null,
  headline: (count, group) => `${counted(count, 'prepared event')}${group && ` of ${group}`} ${have(count)} not been sent`,
  judge(event, { now, thresholds }) {
    const waiting = secondsBetween(event.preparedAt, now);
    if (waiting <= thresholds.unsubmittedAfterSeconds) return [];
    return [
      {
        type: 'EVENT_UNSUBMITTED',
        severity: 'low',
        subject: eventSubject(event),
        key: '',
        title: `${eventName(event)} was prepared and not sent`,
        detail: `It was prepared ${duration(waiting)} ago and is not confirmed${event.expiresAt ? `; the preparation expires at ${moment(event.expiresAt)}` : ''}.`,
        evidence: { preparedAt: event.preparedAt.toISOString(), expiresAt: event.expiresAt?.toISOString() ?? null },
        threshold: { unsubmittedAfterSeconds: thresholds.unsubmittedAfterSeconds },
        group: event.processLabel ?? '',
        processType: event.processType,
        orgIds: event.orgIds,
      },
    ];
  },
};

/** A transfer that waits for an answer. */
export interface TransferFacts {
  readonly transferId: string;
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly assetTypeName: string | null;
  readonly mapName: string | null;
  readonly from: string;
  readonly to: string;
  readonly toLabel: string;
  readonly offeredAt: Date;
  readonly orgIds: readonly string[];
}

export const custodyPending: Rule<TransferFacts> = {
  type: 'CUSTODY_PENDING',
  recommendation: 'Ask the receiver to accept or reject the transfer, or cancel it.',
  reference: null,
  headline: (count, group) => `${counted(count, 'transfer')}${group && ` of ${group}`} ${count === 1 ? 'waits' : 'wait'} for an answer`,
  judge(transfer, context) {
    const limit = newestMap(context, transfer.mapName)?.custodyAcceptWithinSeconds ?? context.thresholds.custodyAcceptWithinSeconds;
    const waiting = secondsBetween(transfer.offeredAt, context.now);
    if (waiting <= limit) return [];
    return [
      {
        type: 'CUSTODY_PENDING',
        severity: waiting > 2 * limit ? 'high' : 'medium',
        subject: { kind: 'transfer', id: transfer.transferId, tokenId: Number(transfer.tokenId), tlc: transfer.tlc },
        key: '',
        title: `${transfer.tlc} waits to be accepted`,
        detail: `${transfer.tlc} was offered to ${transfer.toLabel} ${duration(waiting)} ago; the limit is ${duration(limit)}.`,
        evidence: { offeredAt: transfer.offeredAt.toISOString(), from: transfer.from, to: transfer.to },
        threshold: { custodyAcceptWithinSeconds: limit },
        group: transfer.assetTypeName ?? '',
        orgIds: transfer.orgIds,
      },
    ];
  },
};

/** An active webhook subscription. */
export interface SubscriptionFacts {
  readonly id: string;
  readonly host: string;
  /** When the service paused the subscription because no delivery succeeded for days. */
  readonly pausedSince: Date | null;
  readonly failedInARow: number;
  readonly failingSince: Date | null;
  readonly lastError: string | null;
}

export const webhookFailing: Rule<SubscriptionFacts> = {
  type: 'WEBHOOK_FAILING',
  recommendation:
    'Ask the receiver why it does not answer. When it answers again, resume the subscription if it was paused, and send the failed deliveries again.',
  reference: null,
  headline: (count) => `${counted(count, 'webhook subscription')} ${count === 1 ? 'is' : 'are'} failing`,
  judge(subscription, { thresholds }) {
    const { pausedSince } = subscription;
    if (pausedSince === null && subscription.failedInARow < thresholds.webhookFailures) return [];
    return [
      {
        type: 'WEBHOOK_FAILING',
        severity: 'medium',
        subject: { kind: 'subscription', id: subscription.id, tokenId: null, tlc: null },
        key: '',
        title: `Deliveries to ${subscription.host} ${pausedSince === null ? 'fail' : 'are paused'}`,
        detail:
          pausedSince === null
            ? failures(subscription)
            : `${failures(subscription)} Deliveries wait until the subscription is resumed.`.trim(),
        evidence: {
          failedInARow: subscription.failedInARow,
          failingSince: subscription.failingSince?.toISOString() ?? null,
          lastError: subscription.lastError,
          pausedSince: pausedSince?.toISOString() ?? null,
        },
        threshold: { webhookFailures: thresholds.webhookFailures },
        group: '',
        orgIds: [],
      },
    ];
  },
};

/** Empty when the failed deliveries were deleted already. */
function failures({ failedInARow, lastError }: SubscriptionFacts): string {
  if (failedInARow === 0) return '';
  const which = failedInARow === 1 ? 'The last delivery' : `The last ${failedInARow} deliveries`;
  return `${which} failed${lastError === null ? '' : `, the latest with: ${lastError.replace(/\.$/, '')}`}.`;
}
