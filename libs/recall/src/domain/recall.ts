import { derivedId } from '#kernel';
import type { RecallNotice } from './recall-notice.js';

/** Where a recall stands on chain. */
export interface RecallLanding {
  readonly chainId: number;
  readonly contract: string;
  /** EIP-55 of the signer. */
  readonly recalledBy: string;
  readonly dataHash: string;
  readonly at: Date;
  readonly block: number;
  readonly txHash: string;
  readonly logIndex: number;
  /** Among the logs of its transaction; survives a reorg. */
  readonly txLogIndex: number;
}

/** One call of `recall` or `recallMany`: the lots it flagged and what was said about them. */
export interface Recall extends RecallLanding {
  readonly id: string;
  readonly tokenIds: readonly bigint[];
  readonly notice: RecallNotice;
  /** False while the notice could not be read: it is tried again. */
  readonly resolved: boolean;
}

export function landedRecall(landing: RecallLanding, tokenIds: readonly bigint[], notice: RecallNotice, resolved: boolean): Recall {
  const id = derivedId('recall', landing.chainId, landing.contract, landing.txHash, landing.txLogIndex);
  return { ...landing, id, tokenIds, notice, resolved };
}
