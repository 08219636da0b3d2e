import type { ContextPersistence } from '#persistence';
import { subscriptionEntity } from './adapters/persistence/subscription.schema.js';

export { type DeliveryBacklog, deliveryBacklog } from './adapters/persistence/delivery-backlog.js';
export { TOPIC_CATALOGUE, type TopicDescription } from './domain/topic-catalogue.js';
export type { AttemptResult } from './domain/attempt-result.js';
export { AttemptListener } from './ports.js';
export { type WebhooksOptions } from './webhooks.core.js';
export { WebhooksModule } from './webhooks.module.js';
export { WebhooksWorkerModule } from './webhooks-worker.module.js';

export const webhooksPersistence: ContextPersistence = {
  schema: 'webhooks',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [subscriptionEntity],
};
