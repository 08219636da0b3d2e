import type { Hex } from '#kernel';

/** The fields of a block header that the indexer needs. */
export interface Header {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Date;
  /** Null for chains that keep none. */
  readonly logsBloom: string | null;
  /** Hashes, in their order. */
  readonly transactions: readonly string[];
}

/** What identifies a block, kept to recognise it again. */
export interface BlockMark {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

/** A followed log before decoding: its tenant is known only after the block's new tenants are registered. */
export interface ChainLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: { readonly number: number; readonly hash: Hex; readonly timestamp: Date };
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly txLogIndex: number;
}

/** What happened to the chain, in order. Each event is applied in one SQL transaction. */
export type ChainEvent =
  /** The next block. */
  | { readonly kind: 'block'; readonly mark: BlockMark; readonly time: Date; readonly logs: readonly ChainLog[] }
  /** Past blocks that are all final. `marks` ends with the last block and reaches back as far as a reorg still could. */
  | {
      readonly kind: 'range';
      readonly from: number;
      readonly marks: readonly BlockMark[];
      readonly time: Date;
      readonly logs: readonly ChainLog[];
    }
  /** The blocks after `lastGood` do not belong to the chain any more. */
  | { readonly kind: 'reorg'; readonly lastGood: BlockMark }
  /** Blocks up to this one are final. */
  | { readonly kind: 'final'; readonly number: number };

/** A reorg deeper than the block window. A replay could lose messages that were already delivered, so an operator decides. */
export class ReorgTooDeep extends Error {
  constructor(window: number) {
    super(
      `The chain was reorganised deeper than the last ${window} blocks. Indexing is stopped and the data is kept; see the operator's guide.`,
    );
  }
}

/** A tenant's contract of a version that this code does not support. Its logs could mean something else, so none is decoded. */
export class UnknownContract extends Error {
  constructor(address: string, version: number, block: number, known: number) {
    super(
      `Block ${block} created contract ${address} of version ${version}; this service supports versions up to ${known}. The indexer waits ` +
        'before that block and continues when the service is updated.',
    );
  }
}

/** The node serves another chain: a development node that was restarted, or a wrong URL. */
export class OtherChain extends Error {
  constructor(expected: string, found: string) {
    super(
      `The node is on another chain: its genesis block is ${found}, the indexed one is ${expected}. A development node that lost its blocks ` +
        'needs a new database; otherwise correct CHAIN_RPC_URLS.',
    );
  }
}
