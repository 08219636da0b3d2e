import type { Hex } from '#kernel';

/** A block header as far as the indexer needs it. */
export interface Header {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Date;
  /** Null where the chain keeps none. */
  readonly logsBloom: string | null;
}

/** What is remembered of a block to recognise it again. */
export interface BlockMark {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

/** A followed log before it is decoded: whose it is shows only when the block's new tenants are registered. */
export interface FoundLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: { readonly number: number; readonly hash: Hex; readonly timestamp: Date };
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly txLogIndex: number;
}

/** What happened to the chain, in order. Each is one transaction of the projection. */
export type ChainStep =
  /** The next block. */
  | { readonly kind: 'block'; readonly mark: BlockMark; readonly time: Date; readonly logs: readonly FoundLog[] }
  /** Final blocks of the past, final for the projection as well once they are in; `marks` end with the last and reach back as far as a reorg still could. */
  | {
      readonly kind: 'range';
      readonly from: number;
      readonly marks: readonly BlockMark[];
      readonly time: Date;
      readonly logs: readonly FoundLog[];
    }
  /** The blocks after `lastGood` are not the chain's any more. */
  | { readonly kind: 'reorg'; readonly lastGood: BlockMark }
  /** Blocks up to this one are final. */
  | { readonly kind: 'final'; readonly number: number };

/** A reorg that no remembered block survived: replaying could lose what went out, so an operator decides. */
export class ReorgTooDeep extends Error {
  constructor(window: number) {
    super(
      `The chain was reorganised deeper than the last ${window} blocks. The projection is stopped and its data kept; see the operator's guide.`,
    );
  }
}

/** A tenant's contract of a version that this code was not built for: its logs could mean something else, so none is guessed at. */
export class UnknownContract extends Error {
  constructor(address: string, version: number, block: number, known: number) {
    super(
      `Block ${block} made contract ${address} of version ${version}; this service knows versions up to ${known}. The projection waits ` +
        'before that block and goes on by itself once the service is updated.',
    );
  }
}

/** Another chain answers at the address: a development node that was started anew, or a wrong URL. */
export class OtherChain extends Error {
  constructor(expected: string, found: string) {
    super(
      `The node is on another chain: its genesis block is ${found}, the projected one ${expected}. A development node that forgot its blocks ` +
        'needs a new database; otherwise correct CHAIN_RPC_URLS.',
    );
  }
}
