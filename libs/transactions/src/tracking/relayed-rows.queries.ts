import type { TrackedTransaction } from './tracked-transaction.js';

/** Every column of a relayed call that is not sent yet, with its property. */
const ADDED = {
  id: 'id',
  chain_id: 'chainId',
  type: 'type',
  status: 'status',
  owner_kind: 'ownerKind',
  owner_id: 'ownerId',
  from_address: 'from',
  to_address: 'to',
  event_id: 'eventId',
  event_data_hash: 'eventDataHash',
  submitted_at: 'submittedAt',
  relay_id: 'relayId',
  call_index: 'callIndex',
  paid_by: 'paidBy',
  signed_by: 'signedBy',
  lands_until: 'landsUntil',
} as const;

export const RELAYED = `insert into transactions.tracked (tenant_id, ${Object.keys(ADDED).join(', ')})
  select $1::uuid, ${Object.keys(ADDED)
    .map((column) => `r.${column}`)
    .join(', ')} from json_populate_recordset(null::transactions.tracked, $2::json) r`;

export const relayedRows = (tracked: readonly TrackedTransaction[]): string =>
  JSON.stringify(tracked.map((of) => Object.fromEntries(Object.entries(ADDED).map(([column, property]) => [column, of[property]]))));
