import { CHAIN_FIELDS, defineTopic, FIELDS, topicField } from '#kernel';

const { text, textOrNull, integer } = FIELDS;

interface Effects {
  readonly eventIds: readonly string[];
  readonly tokenIds: readonly number[];
  readonly transferIds: readonly string[];
}

const FIELDS_OF_A_TRANSACTION = {
  ...CHAIN_FIELDS,
  // As the transaction has it: any hash can be tracked, one that creates a contract too.
  contractAddress: textOrNull,
  trackingId: text,
  type: text,
  status: topicField<string>({ enum: ['confirmed', 'failed'] }),
  from: textOrNull,
  confirmations: integer,
  revertReason: textOrNull,
  effects: topicField<Effects>({
    type: 'object',
    properties: { eventIds: FIELDS.texts, tokenIds: FIELDS.integers, transferIds: FIELDS.texts },
    required: ['eventIds', 'tokenIds', 'transferIds'],
  }),
};

/** docs/spec/domain.md#webhook-data */
export const transactionConfirmed = defineTopic('transaction.confirmed', {
  description: 'A tracked transaction is final.',
  readers: 'sender',
  fields: FIELDS_OF_A_TRANSACTION,
  example: {
    timestamp: '2026-11-28T08:41:46.000Z',
    data: {
      tenantId: 'rice',
      chainId: 31337,
      contractAddress: '0xa1F34444a7cA9BD9708Eb88DD2DBcf2Bd66237A2',
      txHash: '0x72e8d4c3a7b409a05a57947759815211fa932215f7ed7f98047927242b097e12',
      blockNumber: 19,
      occurredAt: '2026-11-28T08:41:46.000Z',
      trackingId: '34e8ccda-b3eb-4fc0-9866-7a76f6d6836f',
      type: 'event',
      status: 'confirmed',
      from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      confirmations: 1,
      revertReason: null,
      effects: {
        eventIds: ['96732e21-dae4-4213-b788-2cb40b6635a3'],
        tokenIds: [1],
        transferIds: [],
      },
    },
  },
});

export const transactionFailed = defineTopic('transaction.failed', {
  description: 'A tracked transaction is known to have failed for good.',
  readers: 'sender',
  fields: FIELDS_OF_A_TRANSACTION,
  example: {
    timestamp: '2026-11-28T08:41:46.000Z',
    data: {
      tenantId: 'rice',
      chainId: 31337,
      contractAddress: '0xa1F34444a7cA9BD9708Eb88DD2DBcf2Bd66237A2',
      txHash: '0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c',
      blockNumber: 19,
      occurredAt: '2026-11-28T08:41:46.000Z',
      trackingId: '2f0f2f0e-5a44-4d0c-9d6c-0a6b1f0f7c11',
      type: 'event',
      status: 'failed',
      from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      confirmations: 1,
      revertReason: 'TlcTaken(0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7)',
      effects: {
        eventIds: [],
        tokenIds: [],
        transferIds: [],
      },
    },
  },
});

/** The topics of this context, in the order of the reference. */
export const transactionsTopics = [transactionConfirmed, transactionFailed] as const;
