import type { TransactionFacts } from './facts.js';
import type { Rule } from './rule.js';
import { be, counted, duration, secondsBetween } from './words.js';

export const OPEN_STATUSES = ['submitted', 'pending', 'confirming'] as const;

export const txStuck: Rule<TransactionFacts> = {
  type: 'TX_STUCK',
  recommendation: 'Send it again with the same nonce and a higher fee.',
  reference: null,
  headline: (count) => `${counted(count, 'transaction')} ${be(count)} stuck`,
  judge(transaction, { now, thresholds }) {
    const open = secondsBetween(transaction.submittedAt, now);
    if (!OPEN_STATUSES.some((status) => status === transaction.status) || open <= thresholds.txStuckAfterSeconds) return [];
    return [
      {
        type: 'TX_STUCK',
        severity: 'medium',
        subject: { kind: 'transaction', id: transaction.trackingId, tokenId: null, tlc: null },
        key: '',
        title: `Transaction ${transaction.txHash.slice(0, 10)}… is still ${transaction.status}`,
        detail: `It was registered ${duration(open)} ago and is ${transaction.status}; the limit is ${duration(thresholds.txStuckAfterSeconds)}.`,
        evidence: {
          txHash: transaction.txHash,
          status: transaction.status,
          submittedAt: transaction.submittedAt.toISOString(),
          eventId: transaction.eventId,
        },
        threshold: { txStuckAfterSeconds: thresholds.txStuckAfterSeconds },
        group: '',
        orgIds: transaction.orgIds,
      },
    ];
  },
};
