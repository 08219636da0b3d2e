import type { CopyRule } from '#persistence';
import { LEASES_ENDED } from './attempts/leases.queries.js';

export const webhooksCopies: readonly CopyRule[] = [
  {
    table: 'webhooks.message',
    key: ['id'],
    columns: { body: 'text' },
    scope: 'event',
    sent: {
      barrier: LEASES_ENDED,
      // A worker that died sends nothing after its lease.
      underWay: `select concat_ws(' ', d.id, d.attempt, d.resends) as id from webhooks.delivery d
        where d.tenant_id = $1 and d.message_id = any($2::uuid[]) and d.status = 'sending' and d.leased_until > clock_timestamp()`,
    },
  },
  // Receivers may answer with what they got.
  { table: 'webhooks.delivery', key: ['id'], columns: { response_body: 'text', error: 'text' }, scope: 'all' },
  { table: 'webhooks.attempt', key: ['delivery_id', 'number'], columns: { response_body: 'text', error: 'text' }, scope: 'all' },
];
