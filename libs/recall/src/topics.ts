import { CHAIN_FIELDS, defineTopic, FIELDS, topicField, type TopicPayload } from '#kernel';

const { text, textOrNull, integer, integerOrNull, integers, texts, boolean, booleanOrNull, time, address } = FIELDS;

/** docs/spec/domain.md#webhook-data: one per recalled lot. */
export const nftRecalled = defineTopic('nft.recalled', {
  description: 'A lot is recalled.',
  fields: {
    ...CHAIN_FIELDS,
    tokenId: integer,
    tlc: textOrNull,
    assetType: textOrNull,
    reason: textOrNull,
    recallClass: topicField<string | null>({ type: ['string', 'integer', 'null'] }),
    depth: textOrNull,
    propagation: textOrNull,
    reference: textOrNull,
    recalledBy: address,
    /** Whether another wallet signed than it was prepared for, and which one that was. */
    senderMismatch: boolean,
    preparedSender: textOrNull,
    affectedCount: integerOrNull,
    /** The first 100, nearest first. */
    affectedTokenIds: integers,
    /** True when not all affected lots are listed, or the walk was cut. */
    affectedTruncated: booleanOrNull,
    affectedActors: texts,
    /** Null when the walk was cut: a part of a sum would be read as the sum. */
    estimatedUnits: integerOrNull,
    impactUrl: textOrNull,
  },
  example: {
    timestamp: '2026-11-28T08:42:04.000Z',
    data: {
      tenantId: 'rice',
      chainId: 31337,
      contractAddress: '0xa1F34444a7cA9BD9708Eb88DD2DBcf2Bd66237A2',
      txHash: '0xf66a662828f4fa3a63ad75ec1b3b32c6b917c2b3d7015c23ccbab34b8f1d56f2',
      blockNumber: 33,
      occurredAt: '2026-11-28T08:42:04.000Z',
      tokenId: 3,
      tlc: 'RD-20260917-01',
      assetType: 'RICE_PADDY_DRY',
      reason: 'husk found',
      recallClass: null,
      depth: null,
      propagation: 'flag',
      reference: null,
      recalledBy: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      senderMismatch: false,
      preparedSender: null,
      affectedCount: 5,
      affectedTokenIds: [4, 5, 6, 7, 8],
      affectedTruncated: false,
      affectedActors: ['0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65', '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc'],
      estimatedUnits: 1402,
      impactUrl: '/api/v1/nfts/3/recall-impact',
    },
  },
});
export type NftRecalled = TopicPayload<typeof nftRecalled>;

export const recallAcknowledged = defineTopic('recall.acknowledged', {
  description: 'The holder of a recalled or affected lot says what was done with it; one delivery per lot.',
  fields: {
    tenantId: text,
    /** Of the recall, or of the drill. */
    recallId: text,
    drill: boolean,
    tokenId: integer,
    tlc: textOrNull,
    state: topicField<'quarantined' | 'returned' | 'destroyed' | 'not_found'>({
      enum: ['quarantined', 'returned', 'destroyed', 'not_found'],
    }),
    /** Decimal text; null: the whole lot. */
    quantity: textOrNull,
    uom: textOrNull,
    holder: address,
    orgId: textOrNull,
    acknowledgedAt: time,
  },
  example: {
    timestamp: '2026-11-28T09:02:04.000Z',
    data: {
      tenantId: 'rice',
      recallId: 'b2f6f2a4-7f0e-5b8e-9a8d-1d2c3b4a5f60',
      drill: false,
      tokenId: 5,
      tlc: 'RM-20260919-01',
      state: 'quarantined',
      quantity: '350',
      uom: 'KGM',
      holder: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
      orgId: '527d21e3-dea1-4928-b5f4-fc7c3ba8dda6',
      acknowledgedAt: '2026-11-28T09:02:04.000Z',
    },
  },
});

/** The topics of this context, in the order of the reference. */
export const recallTopics = [nftRecalled, recallAcknowledged] as const;
