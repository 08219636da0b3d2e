import { type Rpc, type RpcCall, tenantLots } from '#chain';
import { EngineUnavailable, ZERO_BYTES32, checksumAddress, eventIdFromBytes } from '#kernel';
import type { MinedFacts, SentFacts } from '../../domain/tracked-transaction.js';

export interface RawTransaction {
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly input: string;
  readonly blockNumber?: string | null;
}

export interface RawReceipt {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice?: string;
}

export interface RawBlock {
  readonly hash: string;
  readonly timestamp: string;
}

/** Answers in order, null where the node knows nothing. A node that refuses such plain questions is as good as away. */
export async function asked<T>(rpc: Rpc, calls: readonly RpcCall[]): Promise<(T | null)[]> {
  if (calls.length === 0) return [];
  return (await rpc.batch(calls)).map((result) => {
    if (result.ok) return result.value as T | null;
    throw new EngineUnavailable('chain', result.error);
  });
}

/** A pool takes any of 64 bits (EIP-2681). One that no number holds, nor the column, is never mined: the greatest that they hold says as much. */
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

const NO_EVENT = { eventId: null, eventDataHash: null };

/** The event that the call records, whether it is the call's own or rides on it. */
export function recordedEvent(input: string): { readonly eventId: string | null; readonly eventDataHash: string | null } {
  try {
    const args = tenantLots.decodeCall(input)?.args as { eventId?: string; dataHash?: string; e?: EventArgs } | undefined;
    const { eventId, dataHash } = args?.e ?? args ?? {};
    if (eventId === undefined || eventId === ZERO_BYTES32) return NO_EVENT;
    const ours = eventIdFromBytes(eventId);
    return ours === null ? NO_EVENT : { eventId: ours, eventDataHash: dataHash ?? null };
  } catch {
    return NO_EVENT; // calldata of something else
  }
}

interface EventArgs {
  readonly eventId?: string;
  readonly dataHash?: string;
}
