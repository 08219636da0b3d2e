/** Topics of the specification, §6.1, and the additive ones of domain-decisions §5. */
export const TOPICS = [
  'event.recorded',
  'nft.created',
  'nft.recalled',
  'custody.transferred',
  'transaction.confirmed',
  'transaction.failed',
  'webhook.test',
] as const;
export type Topic = (typeof TOPICS)[number];

/** What every topic about the chain carries (domain-decisions §5); `occurredAt` is the block time. */
export interface ChainFacts {
  readonly tenantId: string;
  readonly chainId: number;
  readonly contractAddress: string;
  readonly txHash: string;
  readonly blockNumber: number;
  readonly occurredAt: string;
}
