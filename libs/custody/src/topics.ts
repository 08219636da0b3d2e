import { CHAIN_FIELDS, defineTopic, FIELDS, topicField, type TopicPayload } from '#kernel';

const { text, textOrNull, integer, integerOrNull, time, timeOrNull, address } = FIELDS;

/** docs/spec/domain.md#webhook-data: one per lot, on acceptance and for direct moves. */
export const custodyTransferred = defineTopic('custody.transferred', {
  description: 'A custody transfer completes; one delivery per lot.',
  fields: {
    ...CHAIN_FIELDS,
    transferId: text,
    tokenId: integer,
    /** The code, or its hash while the text is unknown. */
    tlc: textOrNull,
    from: address,
    to: address,
    /** Null for a direct move. */
    offeredAt: timeOrNull,
    acceptedAt: time,
    viaContainerTokenId: integerOrNull,
    eventId: textOrNull,
    pendingSeconds: integerOrNull,
  },
  example: {
    timestamp: '2026-11-28T08:41:50.000Z',
    data: {
      tenantId: 'rice',
      chainId: 31337,
      contractAddress: '0xa1F34444a7cA9BD9708Eb88DD2DBcf2Bd66237A2',
      txHash: '0x71c68c3b3dcd87921ff472e307d6510b318ec7b00b3682387f3ddeb50640ff1f',
      blockNumber: 22,
      occurredAt: '2026-11-28T08:41:50.000Z',
      transferId: '1-1',
      tokenId: 1,
      tlc: 'RH-20260915-A1',
      from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      to: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
      offeredAt: '2026-11-28T08:41:49.000Z',
      acceptedAt: '2026-11-28T08:41:50.000Z',
      viaContainerTokenId: null,
      eventId: null,
      pendingSeconds: 1,
    },
  },
});
export type CustodyTransferred = TopicPayload<typeof custodyTransferred>;

/** Fields of an offer, and of what became of it. */
const MOVING = {
  ...CHAIN_FIELDS,
  transferId: text,
  tokenId: integer,
  /** The code, or its hash while the text is unknown. */
  tlc: textOrNull,
  from: address,
  to: address,
  viaContainerTokenId: integerOrNull,
};

export const custodyOffered = defineTopic('custody.offered', {
  description: 'A lot is offered to another custodian, who accepts or rejects it; one delivery per lot, contents of a container included.',
  fields: { ...MOVING, eventId: textOrNull },
  example: {
    timestamp: '2026-11-28T08:41:49.000Z',
    data: {
      tenantId: 'rice',
      chainId: 31337,
      contractAddress: '0xa1F34444a7cA9BD9708Eb88DD2DBcf2Bd66237A2',
      txHash: '0x0d3a9b6c1f5e4a7d8c2b0e9f6a5d4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3',
      blockNumber: 21,
      occurredAt: '2026-11-28T08:41:49.000Z',
      transferId: '1-1',
      tokenId: 1,
      tlc: 'RH-20260915-A1',
      from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      to: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
      viaContainerTokenId: null,
      eventId: null,
    },
  },
});
export type CustodyOffered = TopicPayload<typeof custodyOffered>;

export const custodyRejected = defineTopic('custody.rejected', {
  description: 'An offered lot is rejected, or the part of it that its receiver left; one delivery per lot.',
  fields: {
    ...MOVING,
    offeredAt: time,
    /** Why a part was left; null where the whole lot was rejected. */
    reason: topicField<'shortage' | 'damage' | 'refused' | null>({ enum: ['shortage', 'damage', 'refused', null] }),
    pendingSeconds: integer,
  },
  example: {
    timestamp: '2026-11-28T08:41:49.000Z',
    data: {
      tenantId: 'rice',
      chainId: 31337,
      contractAddress: '0xa1F34444a7cA9BD9708Eb88DD2DBcf2Bd66237A2',
      txHash: '0x0d3a9b6c1f5e4a7d8c2b0e9f6a5d4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3',
      blockNumber: 21,
      occurredAt: '2026-11-28T08:41:49.000Z',
      transferId: '1-1',
      tokenId: 1,
      tlc: 'RH-20260915-A1',
      from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      to: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
      viaContainerTokenId: null,
      offeredAt: '2026-11-28T08:41:44.000Z',
      reason: null,
      pendingSeconds: 5,
    },
  },
});
export type CustodyRejected = TopicPayload<typeof custodyRejected>;

/** The topics of this context, in the order of the reference. */
export const custodyTopics = [custodyOffered, custodyTransferred, custodyRejected] as const;
