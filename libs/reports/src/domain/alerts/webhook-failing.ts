import type { SubscriptionFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted } from './words.js';

export const webhookFailing: Rule<SubscriptionFacts> = {
  type: 'WEBHOOK_FAILING',
  recommendation:
    'Ask the receiver why it does not answer; when it does, resume the subscription if it was paused, and send the failed deliveries again.',
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
            ? failed(subscription)
            : `${failed(subscription)} What waits is held back until the subscription is resumed.`.trim(),
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

/** Nothing where all that failed is forgotten by now. */
function failed({ failedInARow, lastError }: SubscriptionFacts): string {
  if (failedInARow === 0) return '';
  const which = failedInARow === 1 ? 'The last delivery' : `The last ${failedInARow} deliveries`;
  return `${which} failed${lastError === null ? '' : `, the latest with: ${lastError.replace(/\.$/, '')}`}.`;
}
