import type { TransactionFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted, have, secondsBetween } from './words.js';

export const txFailed: Rule<TransactionFacts> = {
  type: 'TX_FAILED',
  recommendation: 'Read why it reverted, put that right and prepare it anew.',
  reference: null,
  headline: (count) => `${counted(count, 'transaction')} ${have(count)} failed`,
  judge(transaction, { now, thresholds }) {
    const at = transaction.failedAt ?? transaction.submittedAt;
    if (transaction.status !== 'failed' || secondsBetween(at, now) > thresholds.txFailedWithinSeconds) return [];
    return [
      {
        type: 'TX_FAILED',
        severity: 'high',
        subject: { kind: 'transaction', id: transaction.trackingId, tokenId: null, tlc: null },
        key: '',
        title: `Transaction ${transaction.txHash.slice(0, 10)}… failed`,
        detail: transaction.revertReason === null ? 'It reverted without a reason.' : `It reverted: ${transaction.revertReason}.`,
        evidence: {
          txHash: transaction.txHash,
          failedAt: at.toISOString(),
          revertReason: transaction.revertReason,
          eventId: transaction.eventId,
        },
        threshold: { txFailedWithinSeconds: thresholds.txFailedWithinSeconds },
        group: '',
        orgIds: transaction.orgIds,
      },
    ];
  },
};
