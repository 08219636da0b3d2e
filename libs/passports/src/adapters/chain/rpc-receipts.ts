import { JsonRpc, type RawLog, decodeLog } from '#chain';
import { checksumAddress, eventIdBytes } from '#kernel';
import { Injectable } from '@nestjs/common';
import { type Evidence, Receipts } from '../../ports.js';

@Injectable()
export class RpcReceipts extends Receipts {
  constructor(private readonly rpc: JsonRpc) {
    super();
  }

  override async dataHashOf({ txHash, contract, eventId }: Evidence): Promise<string | null> {
    const receipt = await this.rpc.call<{ readonly logs: readonly (RawLog & { readonly address: string })[] } | null>(
      'eth_getTransactionReceipt',
      [txHash],
    );
    for (const raw of receipt?.logs ?? []) {
      if (checksumAddress(raw.address) !== contract) continue;
      const log = decodeLog(raw);
      if (log?.name === 'EventRecorded' && log.args.eventId === eventIdBytes(eventId)) return log.args.dataHash;
    }
    return null;
  }
}
