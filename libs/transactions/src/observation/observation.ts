/** What a node says about a transaction; of a batch that somebody sent to an account of ours, what the account does. Wei amounts and gas as decimal strings. */
export interface SentFacts {
  readonly from: string;
  readonly to: string | null;
  /** Null for a batch of an account: the nonce is that of who sent it. */
  readonly nonce: number | null;
}

/** From a receipt whose block is the canonical one at its number, according to the same node. */
export interface MinedFacts {
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly blockTime: Date;
  readonly succeeded: boolean;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string | null;
}

export interface Observation {
  /** Null: this node does not know the hash, which proves nothing. */
  readonly sent: SentFacts | null;
  readonly mined: MinedFacts | null;
  /** Of a transaction that failed, where the node could tell. */
  readonly revertReason: string | null;
  /** The event that the calldata records; null when there is none. */
  readonly eventId: string | null;
  /** What the calldata commits that event to. */
  readonly eventDataHash: string | null;
  /** Its former block was replaced by another one. */
  readonly orphaned: boolean;
  /** The sender's mined nonce has passed, and a receipt requested after that was missing; with the hash that used the nonce, if found. */
  readonly replaced: { readonly by: string | null } | null;
}

/** No node knows the transaction. */
export const NOTHING_OBSERVED: Observation = {
  sent: null,
  mined: null,
  revertReason: null,
  eventId: null,
  eventDataHash: null,
  orphaned: false,
  replaced: null,
};

/** A hash to look up, with what is known from before: a node may have forgotten it. */
export interface ObservedHash {
  readonly txHash: string;
  readonly from: string | null;
  readonly nonce: number | null;
  readonly blockNumber: number | null;
  readonly blockHash: string | null;
  readonly revertReason: string | null;
}

export interface PollResult {
  /** Newest block of the node that answered. */
  readonly head: number;
  /** One for each hash. */
  readonly observations: ReadonlyMap<string, Observation>;
}
