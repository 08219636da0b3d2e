import type { CopyRule } from '#persistence';

export const webhooksCopies: readonly CopyRule[] = [
  { table: 'webhooks.message', key: ['id'], columns: { body: 'text' }, scope: 'event' },
  // Receivers may answer with what they got.
  { table: 'webhooks.delivery', key: ['id'], columns: { response_body: 'text', error: 'text' }, scope: 'all' },
  { table: 'webhooks.attempt', key: ['delivery_id', 'number'], columns: { response_body: 'text', error: 'text' }, scope: 'all' },
];
