import { JsonRpc, type RawLog, type RpcResult, decodeLog } from '#chain';
import { EngineUnavailable, type Hex, checksumAddress, keccakOf } from '#kernel';
import { Injectable } from '@nestjs/common';
import type { ChainReceipt } from '../../domain/data-reference/event-links.js';
import type { ChainLot } from '../../domain/data-reference/nft-link.js';
import { ChainEvidence, type LotsOnChain, type PointingEvent, type PointingLot } from '../../pointers.ports.js';

interface RawReceipt {
  readonly status: string;
  readonly blockHash: Hex;
  readonly blockNumber: string;
  readonly logs: readonly (RawLog & { readonly address: string; readonly logIndex: string })[];
}

const LOT_OF = keccakOf('lotOf(uint256)').slice(0, 10);
const TOKEN_OF_TLC = keccakOf('tokenOfTlc(bytes32)').slice(0, 10);
/** `LotView.status` of contracts/src/TenantLots.sol. */
const STATUSES = [null, 'active', 'in_transit', 'aggregated', 'consumed', 'recalled', 'retired'] as const;

@Injectable()
export class RpcChainEvidence extends ChainEvidence {
  constructor(private readonly rpc: JsonRpc) {
    super();
  }

  override async receipts(events: readonly PointingEvent[]): Promise<ReadonlyMap<string, ChainReceipt | null>> {
    const hashes = [...new Set(events.map(({ recorded }) => recorded.txHash))];
    const answers = await this.rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })));
    const found = new Map(hashes.map((hash, i) => [hash, valueOf<RawReceipt | null>(answers[i]!)]));
    return new Map(events.map((event) => [event.id, receiptOf(event, found.get(event.recorded.txHash) ?? null)]));
  }

  override async lots(lots: readonly PointingLot[], block: number): Promise<LotsOnChain> {
    const then = await this.stateOf(lots, `0x${block.toString(16)}`);
    if (then.every(({ ok }) => ok)) return { lots: found(lots, then), ofNow: false };
    // A node that keeps no history, as the embedded one does, knows the last block only.
    return { lots: found(lots, await this.stateOf(lots, 'latest')), ofNow: true };
  }

  private stateOf(lots: readonly PointingLot[], at: string): Promise<readonly RpcResult[]> {
    const call = (to: string, data: string) => ({ method: 'eth_call', params: [{ to, data }, at] });
    return this.rpc.batch(
      lots.flatMap(({ contract, recorded: { tokenId, tlc } }) => [
        call(contract, LOT_OF + word(tokenId)),
        call(contract, TOKEN_OF_TLC + (/^0x[0-9a-f]{64}$/.test(tlc) ? tlc : keccakOf(tlc)).slice(2)),
      ]),
    );
  }
}

const found = (lots: readonly PointingLot[], answers: readonly RpcResult[]): ReadonlyMap<bigint, ChainLot | null> =>
  new Map(lots.map(({ recorded: { tokenId } }, i) => [tokenId, lotOf(valueOf<Hex>(answers[2 * i]!), valueOf<Hex>(answers[2 * i + 1]!))]));

/** A node that refuses such a plain question is as good as away: nothing may be concluded. */
function valueOf<T>(result: RpcResult): T {
  if (result.ok) return result.value as T;
  throw new EngineUnavailable('chain', result.error);
}

function receiptOf(event: PointingEvent, receipt: RawReceipt | null): ChainReceipt | null {
  if (receipt === null) return null;
  const { status, blockNumber, blockHash } = receipt;
  return { succeeded: status === '0x1', blockNumber: Number(blockNumber), blockHash, log: logOf(event, receipt) };
}

function logOf({ contract, chainEventId }: PointingEvent, { logs }: RawReceipt): ChainReceipt['log'] {
  for (const raw of logs) {
    if (checksumAddress(raw.address) !== contract) continue;
    const log = decodeLog(raw);
    if (log?.name === 'EventRecorded' && log.args.eventId === chainEventId)
      return { logIndex: Number(raw.logIndex), dataHash: log.args.dataHash };
  }
  return null;
}

const word = (value: bigint): string => value.toString(16).padStart(64, '0');

/** Words of `LotView`: status 0, recalled 3, uncounted 5, remaining 7, custodian 8. */
function lotOf(view: Hex, token: Hex): ChainLot | null {
  const at = (i: number): bigint => BigInt(`0x${view.slice(2 + 64 * i, 2 + 64 * (i + 1)) || '0'}`);
  const status = STATUSES[Number(at(0))] ?? null;
  if (status === null) return null;
  return {
    custodian: checksumAddress(`0x${view.slice(2 + 64 * 8 + 24, 2 + 64 * 9)}`),
    status,
    recalled: at(3) === 1n,
    remaining: at(7),
    uncounted: at(5) === 1n,
    tokenOfTlc: BigInt(token === '0x' ? 0 : token),
  };
}
