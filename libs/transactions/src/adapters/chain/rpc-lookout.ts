import { JsonRpc, type Rpc, type RpcResult, decodeRevert, quantity, tenantLots } from '#chain';
import { EngineUnavailable, ZERO_BYTES32, checksumAddress, eventIdFromBytes } from '#kernel';
import { Injectable } from '@nestjs/common';
import type { MinedFacts, SentFacts, Sighting } from '../../domain/tracked-transaction.js';
import { type Look, TransactionLookout } from '../../ports.js';

interface RawReceipt {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice?: string;
}

interface RawTransaction {
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly input: string;
}

/** Head, transaction and receipt of every hash in one exchange with one node. */
@Injectable()
export class RpcLookout extends TransactionLookout {
  constructor(private readonly rpc: JsonRpc) {
    super();
  }

  override look(txHashes: readonly string[]): Promise<Look> {
    return this.rpc.pinned(async (rpc) => {
      const [head, ...answers] = await rpc.batch([
        { method: 'eth_blockNumber', params: [] },
        ...txHashes.flatMap((hash) => [
          { method: 'eth_getTransactionByHash', params: [hash] },
          { method: 'eth_getTransactionReceipt', params: [hash] },
        ]),
      ]);
      const sightings = new Map<string, Sighting>();
      for (const [i, hash] of txHashes.entries())
        sightings.set(hash, await sightingOf(rpc, valueOf<RawTransaction>(answers[2 * i]!), valueOf<RawReceipt>(answers[2 * i + 1]!)));
      return { head: Number(valueOf<string>(head!)), sightings };
    });
  }
}

/** A node that refuses such a plain question is as good as away: nothing may be concluded. */
function valueOf<T>(result: RpcResult): T | null {
  if (result.ok) return result.value as T | null;
  throw new EngineUnavailable('chain', result.error);
}

async function sightingOf(rpc: Rpc, transaction: RawTransaction | null, receipt: RawReceipt | null): Promise<Sighting> {
  const mined = receipt && minedFacts(receipt);
  return {
    sent: transaction && sentFacts(transaction),
    mined,
    revertReason: transaction && mined && !mined.succeeded ? await revertReason(rpc, transaction, mined.blockNumber) : null,
    eventId: transaction && recordedEvent(transaction.input),
  };
}

const sentFacts = ({ from, to, nonce }: RawTransaction): SentFacts => ({
  from: checksumAddress(from),
  to: to && checksumAddress(to),
  nonce: Number(nonce),
});

const minedFacts = (receipt: RawReceipt): MinedFacts => ({
  blockNumber: Number(receipt.blockNumber),
  blockHash: receipt.blockHash,
  succeeded: receipt.status === '0x1',
  gasUsed: BigInt(receipt.gasUsed).toString(),
  effectiveGasPrice: receipt.effectiveGasPrice === undefined ? null : BigInt(receipt.effectiveGasPrice).toString(),
});

/** The call again on the state before its block: the reason as the contract gives it, if it still fails there. */
async function revertReason(rpc: Rpc, { from, to, input }: RawTransaction, block: number): Promise<string | null> {
  const [result] = await rpc.batch([{ method: 'eth_call', params: [{ from, to, data: input }, quantity(Math.max(0, block - 1))] }]);
  if (result!.ok) return null;
  const revert = result!.error.data === null ? null : decodeRevert(result!.error.data);
  return revert ? `${revert.name}(${Object.values(revert.args).map(String).join(', ')})` : result!.error.message;
}

/** The event that the call records, whether it is the call's own or rides on it. */
function recordedEvent(input: string): string | null {
  try {
    const args = tenantLots.decodeCall(input)?.args as { eventId?: string; e?: { eventId: string } } | undefined;
    const eventId = args?.e?.eventId ?? args?.eventId;
    return eventId === undefined || eventId === ZERO_BYTES32 ? null : eventIdFromBytes(eventId);
  } catch {
    return null; // calldata of something else
  }
}
