import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { TrackedTransaction } from '../../domain/tracked-transaction.js';

/** Block numbers and nonces are far below 2^53. */
const integer = (name: string): EntitySchemaColumnOptions => ({
  name,
  type: 'bigint',
  nullable: true,
  transformer: { from: (value: string | null) => (value === null ? null : Number(value)), to: (value: number | null) => value },
});
const text = (name: string, nullable = false): EntitySchemaColumnOptions => ({ name, type: 'text', nullable });
const time = (name: string, nullable = false): EntitySchemaColumnOptions => ({ name, type: 'timestamptz', nullable });

export const trackedEntity = new EntitySchema<TrackedTransaction>({
  name: 'TrackedTransaction',
  target: TrackedTransaction,
  schema: 'transactions',
  tableName: 'tracked',
  columns: {
    tenantId: { name: 'tenant_id', type: 'uuid', primary: true },
    id: { name: 'id', type: 'uuid', primary: true },
    chainId: { ...integer('chain_id'), nullable: false },
    txHash: text('tx_hash'),
    type: text('type'),
    status: text('status'),
    ownerKind: text('owner_kind'),
    ownerId: text('owner_id'),
    from: text('from_address', true),
    to: text('to_address', true),
    nonce: integer('nonce'),
    blockNumber: integer('block_number'),
    blockHash: text('block_hash', true),
    blockTime: time('block_time', true),
    gasUsed: text('gas_used', true),
    effectiveGasPrice: text('effective_gas_price', true),
    revertReason: text('revert_reason', true),
    replacedBy: text('replaced_by', true),
    eventId: { name: 'event_id', type: 'uuid', nullable: true },
    eventDataHash: text('event_data_hash', true),
    submittedAt: time('submitted_at'),
    unseenSince: time('unseen_since', true),
    lastCheckedAt: time('last_checked_at', true),
    confirmedAt: time('confirmed_at', true),
  },
});
