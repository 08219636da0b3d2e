/** The event that made a lot, as far as its evidence goes. */
export interface MintEvidence {
  readonly eventId: string;
  readonly contract: string;
  readonly txHash: string;
  readonly dataHash: string;
  readonly cid: string;
}

/** An event of a lot's tree, as it landed. */
export interface LandedEvent {
  readonly id: string;
  readonly contract: string;
  readonly cid: string;
  readonly dataHash: string;
  readonly txHash: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  /** A lot that it made; null where it made none. */
  readonly makes: bigint | null;
}

export interface ProvenEvent extends LandedEvent {
  /** bytes32 on chain. */
  readonly eventId: string;
  readonly commitment: string;
  readonly transactionIndex: number;
  /** Nodes of the receipts trie, from its root to the receipt. */
  readonly proof: readonly string[];
}

/** A lot of the tree that is a part of another one. */
export interface LandedSplit {
  readonly from: string;
  readonly to: string;
  readonly txHash: string;
}

export interface ProvenSplit {
  readonly from: string;
  readonly to: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionIndex: number;
  readonly proof: readonly string[];
}

/** Events and splits with their receipts and the proofs that lead to the headers of their blocks. */
export interface ChainProof {
  readonly events: readonly ProvenEvent[];
  readonly splits: readonly ProvenSplit[];
  /** RLP of the headers, by hash. */
  readonly blocks: Record<string, string>;
}

export interface Lineage {
  /** Of the lot itself first. */
  readonly events: readonly LandedEvent[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly id: string }[];
  readonly splits: readonly LandedSplit[];
  readonly complete: boolean;
}
