import { type Rpc, type RpcCall, RpcLie } from '#chain';
import { EngineUnavailable, checksumAddress } from '#kernel';
import type { MinedFacts, SentFacts } from './observation.js';

export interface RawTransaction {
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly input: string;
  readonly blockNumber?: string | null;
  readonly blockHash?: string | null;
  readonly transactionIndex?: string | null;
}

export interface RawReceipt {
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly from: string;
  readonly to?: string | null;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice?: string;
}

export interface RawBlock {
  readonly hash: string;
  readonly timestamp: string;
  /** Hashes, in their order. */
  readonly transactions: readonly string[];
}

/** What a transaction and its receipt both say is the same. A transaction that was still pending when it was read has no place yet. */
export function requireSame(transaction: RawTransaction | null, receipt: RawReceipt | null): void {
  if (!transaction || !receipt) return;
  for (const field of ['from', 'to', 'blockHash', 'blockNumber', 'transactionIndex'] as const) {
    const [sent, mined] = [transaction[field], receipt[field]].map((value) => value?.toLowerCase() ?? null);
    const isPlace = field !== 'from' && field !== 'to';
    if (sent !== mined && !(isPlace && sent === null))
      throw new RpcLie(field, `of ${receipt.transactionHash}: ${mined} instead of ${sent}`);
  }
}

/** The block lists the transaction where the receipt says. */
export function requirePlace({ transactionHash, transactionIndex, blockHash }: RawReceipt, block: RawBlock): void {
  if (block.hash === blockHash && block.transactions[Number(transactionIndex)] !== transactionHash)
    throw new RpcLie('transactionIndex', `block ${blockHash} does not have ${transactionHash} at ${Number(transactionIndex)}`);
}

/** Answers in order, null where the node knows nothing. A node that refuses such basic requests counts as unavailable. */
export async function answersTo<T>(rpc: Rpc, calls: readonly RpcCall[]): Promise<(T | null)[]> {
  if (calls.length === 0) return [];
  return (await rpc.batch(calls)).map((result) => {
    if (result.ok) return result.value as T | null;
    throw new EngineUnavailable('chain', result.error);
  });
}

/** A pool accepts any 64 bits (EIP-2681). A nonce beyond 2^53 is never mined, so it is kept as the largest safe integer. */
export const nonceOf = ({ nonce }: RawTransaction): number => Math.min(Number(nonce), Number.MAX_SAFE_INTEGER);

export const sentFacts = (transaction: RawTransaction): SentFacts => ({
  from: checksumAddress(transaction.from),
  to: transaction.to && checksumAddress(transaction.to),
  nonce: nonceOf(transaction),
});

export const minedFacts = (receipt: RawReceipt, block: RawBlock): MinedFacts => ({
  blockNumber: Number(receipt.blockNumber),
  blockHash: receipt.blockHash,
  blockTime: new Date(Number(block.timestamp) * 1_000),
  succeeded: receipt.status === '0x1',
  gasUsed: BigInt(receipt.gasUsed).toString(),
  effectiveGasPrice: receipt.effectiveGasPrice === undefined ? null : BigInt(receipt.effectiveGasPrice).toString(),
});
