import { EntitySchema } from 'typeorm';
import { Subscription } from '../../domain/subscription.js';

const time = (name: string, nullable = false) => ({ name, type: 'timestamptz', nullable }) as const;

export const subscriptionEntity = new EntitySchema<Subscription>({
  name: 'WebhookSubscription',
  target: Subscription,
  schema: 'webhooks',
  tableName: 'subscription',
  columns: {
    tenantId: { name: 'tenant_id', type: 'uuid', primary: true },
    id: { type: 'uuid', primary: true },
    url: { type: 'text' },
    events: { type: 'text', array: true },
    active: { type: 'boolean' },
    pausedSince: time('paused_since', true),
    pausedReason: { name: 'paused_reason', type: 'text', nullable: true },
    failingSince: time('failing_since', true),
    sealedSecret: { name: 'sealed_secret', type: 'text', nullable: true },
    sealedPreviousSecret: { name: 'sealed_previous_secret', type: 'text', nullable: true },
    previousSecretUntil: time('previous_secret_until', true),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
    deletedAt: time('deleted_at', true),
  },
});
