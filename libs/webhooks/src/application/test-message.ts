import { type Actor, newId, type Topic } from '#kernel';

export const TEST_TOPIC = 'webhook.test' satisfies Topic;

/** Body of a `webhook.test` (domain-decisions §5): serialised once, here. */
export function testBody(actor: Actor, subscriptionId: string, message: string, at: Date): string {
  const requestedAt = at.toISOString();
  return JSON.stringify({
    event: TEST_TOPIC,
    timestamp: requestedAt,
    data: { tenantId: actor.tenantSlug, subscriptionId, message, nonce: newId(), requestedAt },
  });
}
