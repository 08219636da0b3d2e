import type { SubscriptionFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted } from './words.js';

export const webhookFailing: Rule<SubscriptionFacts> = {
  type: 'WEBHOOK_FAILING',
  recommendation: 'Ask the receiver why it does not answer; resend the failed deliveries when it does.',
  reference: null,
  headline: (count) => `${counted(count, 'webhook subscription')} ${count === 1 ? 'is' : 'are'} failing`,
  judge(subscription, { thresholds }) {
    if (subscription.failedInARow < thresholds.webhookFailures) return [];
    return [
      {
        type: 'WEBHOOK_FAILING',
        severity: 'medium',
        subject: { kind: 'subscription', id: subscription.id, tokenId: null, tlc: null },
        key: '',
        title: `Deliveries to ${subscription.host} fail`,
        detail: `The last ${subscription.failedInARow} deliveries failed${subscription.lastError === null ? '' : `, the latest with: ${subscription.lastError}`}.`,
        evidence: {
          failedInARow: subscription.failedInARow,
          failingSince: subscription.failingSince?.toISOString() ?? null,
          lastError: subscription.lastError,
        },
        threshold: { webhookFailures: thresholds.webhookFailures },
        group: '',
        orgIds: [],
      },
    ];
  },
};
