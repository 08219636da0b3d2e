import type { Topic } from '#kernel';
import { TOPIC_EXAMPLES, type TopicBody } from './topic-examples.js';

/** JSON Schema fragments of webhook `data` (domain-decisions §5). Every field is always there; others may be added. */
type Schema = Readonly<Record<string, unknown>>;
const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const integer = { type: 'integer' };
const integerOrNull = { type: ['integer', 'null'] };
const tokenIds = { type: 'array', items: { type: 'integer' } };
const time = { type: 'string', format: 'date-time' };
const timeOrNull = { type: ['string', 'null'], format: 'date-time' };
const address = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };

const CHAIN_FACTS = { tenantId: text, chainId: integer, contractAddress: address, txHash: text, blockNumber: integer, occurredAt: time };

const TRANSACTION = {
  ...CHAIN_FACTS,
  // As the transaction has it: any hash can be tracked, one that creates a contract too.
  contractAddress: textOrNull,
  trackingId: text,
  type: text,
  status: { enum: ['confirmed', 'failed'] },
  from: textOrNull,
  confirmations: integer,
  revertReason: textOrNull,
  effects: {
    type: 'object',
    properties: { eventIds: { type: 'array', items: text }, tokenIds, transferIds: { type: 'array', items: text } },
    required: ['eventIds', 'tokenIds', 'transferIds'],
  },
};

const FIELDS: Readonly<Record<Topic, Schema>> = {
  'event.recorded': {
    ...CHAIN_FACTS,
    eventId: text,
    processType: textOrNull,
    processId: text,
    processMapName: textOrNull,
    processMapVersion: textOrNull,
    kind: textOrNull,
    containmentMode: { enum: [0, 1, 2] },
    eventTime: timeOrNull,
    eventTimeZoneOffset: textOrNull,
    recordTime: timeOrNull,
    inputTokenIds: tokenIds,
    outputTokenIds: tokenIds,
    outputTlc: textOrNull,
    outputCustodian: textOrNull,
    actor: address,
    orgId: textOrNull,
    ipfsCid: textOrNull,
    dataHash: text,
    logIndex: integer,
    supersedes: textOrNull,
  },
  'nft.created': {
    ...CHAIN_FACTS,
    tokenId: integer,
    tlc: text,
    assetType: textOrNull,
    assetTypeName: textOrNull,
    processMapName: textOrNull,
    custodian: address,
    quantity: { type: ['number', 'string', 'null'] },
    uom: textOrNull,
    metadataCid: textOrNull,
    dataHash: textOrNull,
    expiresAt: timeOrNull,
    mintEventId: text,
    parentTokenIds: tokenIds,
    digitalLink: textOrNull,
  },
  'nft.recalled': {
    ...CHAIN_FACTS,
    tokenId: integer,
    tlc: textOrNull,
    assetType: textOrNull,
    reason: textOrNull,
    recallClass: { type: ['string', 'integer', 'null'] },
    depth: integerOrNull,
    propagation: textOrNull,
    reference: textOrNull,
    recalledBy: address,
    affectedCount: integerOrNull,
    affectedTokenIds: tokenIds,
    affectedTruncated: { type: ['boolean', 'null'] },
    affectedActors: { type: 'array', items: text },
    estimatedUnits: integerOrNull,
    impactUrl: textOrNull,
  },
  'custody.transferred': {
    ...CHAIN_FACTS,
    transferId: text,
    tokenId: integer,
    tlc: textOrNull,
    from: address,
    to: address,
    offeredAt: timeOrNull,
    acceptedAt: time,
    viaContainerTokenId: integerOrNull,
    eventId: textOrNull,
    pendingSeconds: integerOrNull,
  },
  'transaction.confirmed': TRANSACTION,
  'transaction.failed': TRANSACTION,
  'webhook.test': { tenantId: text, subscriptionId: text, message: text, nonce: text, requestedAt: time },
};

const EMITTED_WHEN: Readonly<Record<Topic, string>> = {
  'event.recorded': 'A captured trace event is recorded on chain.',
  'nft.created': 'A lot is minted; one delivery per lot.',
  'nft.recalled': 'A lot is recalled.',
  'custody.transferred': 'A custody transfer completes; one delivery per lot.',
  'transaction.confirmed': 'A tracked transaction is final.',
  'transaction.failed': 'A tracked transaction is known to have failed for good.',
  'webhook.test': 'An administrator asked for it; goes to one subscription alone.',
};

export interface TopicDescription {
  readonly topic: Topic;
  readonly description: string;
  /** JSON Schema 2020-12 of the whole body. */
  readonly schema: Schema;
  readonly example: TopicBody;
}

export const TOPIC_CATALOGUE: readonly TopicDescription[] = (Object.keys(FIELDS) as Topic[]).map((topic) => ({
  topic,
  description: EMITTED_WHEN[topic],
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['event', 'timestamp', 'data'],
    properties: {
      event: { const: topic },
      timestamp: time,
      data: {
        type: 'object',
        properties: FIELDS[topic],
        required: Object.keys(FIELDS[topic]),
      },
    },
  },
  example: TOPIC_EXAMPLES[topic],
}));
