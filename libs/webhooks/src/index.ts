import { webhooksCopies } from './copies.queries.js';
import type { ContextPersistence } from '#persistence';
import { subscriptionEntity } from './subscriptions/subscriptions.queries.js';
import { webhooksRetention } from './retention.queries.js';
import { webhooksSchedules } from './schedules.queries.js';

export { type DirectMessage, DirectMessages, DirectWebhooks, GuardedPosts } from './contract.js';
export type { PostOutcome } from './outbound/outcome.js';
export { tooManyWebhooks, urlInvalid, urlNotAllowed, urlUnreachable } from './errors.js';
export { AttemptListener, type AttemptResult } from './deliveries/delivery.js';
export { type ConsumerBacklog, consumerBacklog } from './changes/changes.queries.js';
export { type ConsumerOfTenant, consumersOfAll } from './changes/consumers.queries.js';
export { type DeliveryBacklog, deliveryBacklog } from './deliveries/deliveries.queries.js';
export { type CatalogueTopic, TopicCatalogue, topicCatalogue } from './topics/topic-catalogue.js';
export { WebhooksModule, type WebhooksOptions } from './webhooks.module.js';
export { WebhooksWorkerModule } from './webhooks.worker.js';

export const webhooksPersistence: ContextPersistence = {
  schema: 'webhooks',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [subscriptionEntity],
  retention: webhooksRetention,
  schedules: webhooksSchedules,
  copies: webhooksCopies,
};
