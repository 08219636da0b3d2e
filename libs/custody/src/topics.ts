import { CHAIN_FIELDS, defineTopic, FIELDS, type TopicPayload } from '#kernel';

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

/** The topics of this context, in the order of the reference. */
export const custodyTopics = [custodyTransferred] as const;
