import { Injectable } from '@nestjs/common';
import { JsonRpc, type RawLog, type RpcResult, decodeLog } from '#chain';
import { EngineUnavailable, type Hex, checksumAddress, keccakOf } from '#kernel';
import type { ChainEvent } from '../../domain/chain-event.js';
import type { ChainEvidence } from '../../domain/verification.js';
import { ChainRecords } from '../../ports.js';
import { commitmentOf } from './event-commitment.js';

interface RawReceipt {
  readonly status: string;
  readonly blockHash: Hex;
  readonly blockNumber: string;
  readonly logs: readonly (RawLog & { readonly address: string; readonly logIndex: string })[];
}

const SELECTOR = keccakOf('eventCommitment(bytes32)').slice(0, 10);
const VOIDED: Hex = `0x${'1'.padStart(64, '0')}`;

/** Receipt and commitment in one exchange with one node. */
@Injectable()
export class RpcChainRecords extends ChainRecords {
  constructor(private readonly rpc: JsonRpc) {
    super();
  }

  override async of(event: ChainEvent): Promise<ChainEvidence> {
    const call = { to: event.contract, data: SELECTOR + event.chainEventId.slice(2) };
    const [receipt, commitment] = await this.rpc.batch([
      { method: 'eth_getTransactionReceipt', params: [event.txHash] },
      { method: 'eth_call', params: [call, 'latest'] },
    ]);
    return {
      log: logOf(event, valueOf<RawReceipt | null>(receipt!)),
      commitment: valueOf<Hex>(commitment!),
      expectedCommitment: event.status === 'voided' ? VOIDED : commitmentOf(event),
    };
  }
}

/** A node that refuses such a plain question is as good as away: nothing may be concluded. */
function valueOf<T>(result: RpcResult): T {
  if (result.ok) return result.value as T;
  throw new EngineUnavailable('chain', result.error);
}

function logOf(event: ChainEvent, receipt: RawReceipt | null): ChainEvidence['log'] {
  for (const raw of receipt?.logs ?? []) {
    if (checksumAddress(raw.address) !== event.contract) continue;
    const log = decodeLog(raw);
    if (log?.name === 'EventRecorded' && log.args.eventId === event.chainEventId)
      return { dataHash: log.args.dataHash, blockNumber: Number(receipt!.blockNumber), blockHash: receipt!.blockHash };
  }
  return null;
}
