import { createHash } from 'node:crypto';
import { JsonRpc, type RawLog, type RpcResult, decodeLog } from '#chain';
import { ContentStore, CorruptContent, addressOf } from '#content-storage';
import { EngineUnavailable, type Hex, checksumAddress, keccakOf } from '#kernel';
import { Injectable } from '@nestjs/common';
import type { ChainToken, ChainReceipt, PointingEvent, PointingToken, StoredContent } from './links.rules.js';

interface RawReceipt {
  readonly status: string;
  readonly blockHash: Hex;
  readonly blockNumber: string;
  readonly logs: readonly (RawLog & { readonly address: string; readonly logIndex: string })[];
}

const LOT_SELECTOR = keccakOf('lotOf(uint256)').slice(0, 10);
const TOKEN_OF_TLC_SELECTOR = keccakOf('tokenOfTlc(bytes32)').slice(0, 10);
/** `LotView.status` of contracts/src/TenantLots.sol. */
const STATUSES = [null, 'active', 'in_transit', 'aggregated', 'consumed', 'recalled', 'retired'] as const;

interface LotsOnChain {
  readonly lots: ReadonlyMap<bigint, ChainToken | null>;
  /** Read from the present state, not as of the block: lots may have changed since. */
  readonly isCurrentState: boolean;
}

/** Asks the chain. @throws EngineUnavailable('chain') */
@Injectable()
export class ChainEvidence {
  constructor(private readonly rpc: JsonRpc) {}

  /** By event id; null = the chain has no such transaction. */
  async receipts(events: readonly PointingEvent[]): Promise<ReadonlyMap<string, ChainReceipt | null>> {
    const hashes = [...new Set(events.map(({ recorded }) => recorded.txHash))];
    const answers = await this.rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })));
    const found = new Map(hashes.map((hash, i) => [hash, valueOf<RawReceipt | null>(answers[i]!)]));
    return new Map(events.map((event) => [event.id, receiptOf(event, found.get(event.recorded.txHash) ?? null)]));
  }

  /** As of a projected block, so that later changes make no difference; as of now if the node does not have that state any more. */
  async lots(lots: readonly PointingToken[], block: number): Promise<LotsOnChain> {
    const past = await this.stateOf(lots, `0x${block.toString(16)}`, true);
    if (past.every(({ ok }) => ok)) return { lots: lotsById(lots, past), isCurrentState: false };
    // The embedded node, like others without history, only has the state of the last block.
    return { lots: lotsById(lots, await this.stateOf(lots, 'latest', false)), isCurrentState: true };
  }

  private stateOf(lots: readonly PointingToken[], at: string, optional: boolean): Promise<readonly RpcResult[]> {
    const call = (to: string, data: string) => ({ method: 'eth_call', params: [{ to, data }, at], optional });
    return this.rpc.batch(
      lots.flatMap(({ contract, recorded: { tokenId, tlcHash } }) => [
        call(contract, LOT_SELECTOR + word(tokenId)),
        call(contract, TOKEN_OF_TLC_SELECTOR + tlcHash.slice(2)),
      ]),
    );
  }
}

const lotsById = (lots: readonly PointingToken[], answers: readonly RpcResult[]): ReadonlyMap<bigint, ChainToken | null> =>
  new Map(lots.map(({ recorded: { tokenId } }, i) => [tokenId, lotOf(valueOf<Hex>(answers[2 * i]!), valueOf<Hex>(answers[2 * i + 1]!))]));

/** A node that refuses such a simple call counts as unavailable: no conclusion is possible. */
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

/** 32-byte words of `LotView`: status 0, recalled 3, uncounted 5, remaining 7, custodian 8. */
function lotOf(view: Hex, token: Hex): ChainToken | null {
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

/** Concurrent reads. */
const CONCURRENCY = 8;

export interface ContentRead {
  readonly stored: StoredContent;
  readonly latencyMs: number;
}

@Injectable()
export class StoredContents {
  constructor(private readonly store: ContentStore) {}

  /** @throws EngineUnavailable */
  async read(cids: readonly string[]): Promise<ReadonlyMap<string, ContentRead>> {
    const found = new Map<string, ContentRead>();
    const waiting = [...new Set(cids)];
    const reader = async (): Promise<void> => {
      for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
        const began = performance.now();
        found.set(cid, { stored: await this.readOne(cid), latencyMs: Math.round(performance.now() - began) });
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, reader));
    return found;
  }

  private async readOne(cid: string): Promise<StoredContent> {
    try {
      const bytes = await this.store.get(cid);
      if (bytes === null) return { found: 'missing' };
      return { found: 'bytes', size: bytes.length, cid: addressOf(bytes).cid, sha256: createHash('sha256').update(bytes).digest('hex') };
    } catch (error) {
      if (error instanceof CorruptContent) return { found: 'corrupt' };
      throw error;
    }
  }
}
