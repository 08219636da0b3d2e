import { Injectable } from '@nestjs/common';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { JsonRpc, type RawLog, type RpcResult, decodeLog } from '#chain';
import { EngineUnavailable, type Hex, checksumAddress, keccakOf } from '#kernel';
import type { CommittedRecord } from '../events/event-record.js';
import type { ChainEvidence } from './verification.js';

interface RawReceipt {
  readonly status: string;
  readonly blockHash: Hex;
  readonly blockNumber: string;
  readonly logs: readonly (RawLog & { readonly address: string; readonly logIndex: string })[];
}

const SELECTOR = keccakOf('eventCommitment(bytes32)').slice(0, 10);
const VOIDED: Hex = `0x${'1'.padStart(64, '0')}`;

/** Asks the chain again about an event that landed: receipt and commitment in one exchange with one node. */
@Injectable()
export class ChainRecordsClient {
  constructor(private readonly rpc: JsonRpc) {}

  /** @throws EngineUnavailable('chain') */
  async of(event: CommittedRecord): Promise<ChainEvidence> {
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

/** A node that refuses so plain a request counts as unreachable: nothing may be concluded from it. */
function valueOf<T>(result: RpcResult): T {
  if (result.ok) return result.value as T;
  throw new EngineUnavailable('chain', result.error);
}

function logOf(event: CommittedRecord, receipt: RawReceipt | null): ChainEvidence['log'] {
  for (const raw of receipt?.logs ?? []) {
    if (checksumAddress(raw.address) !== event.contract) continue;
    const log = decodeLog(raw);
    if (log?.name === 'EventRecorded' && log.args.eventId === event.chainEventId)
      return { dataHash: log.args.dataHash, blockNumber: Number(receipt!.blockNumber), blockHash: receipt!.blockHash };
  }
  return null;
}

/**
 * What the contract keeps of an event (Header in contracts/src/TenantLots.sol): keccak256(abi.encode(chainid, contract, header,
 * keccak256(abi.encode(inputTokenIds, consumed)), keccak256(abi.encode(outputs)))). Everything in it is static, so the encoding is
 * one word after the other.
 */
function commitmentOf(event: CommittedRecord): Hex {
  const { chainEventId, processId, actor, containmentMode, firstOutputId, dataHash } = event;
  const header = [chainEventId, processId, actor!, containmentMode, firstOutputId, dataHash!];
  const [ids, consumed] = [event.inputTokenIds, event.consumed];
  const inputs = hashOf([64, 96 + 32 * ids.length, ids.length, ...ids, consumed.length, ...consumed]);
  const outputs = hashOf([
    32,
    event.outputs.length,
    ...event.outputs.flatMap((output) => [output.tlcHash, output.assetType, output.custodian, output.quantity, output.expiresAt]),
  ]);
  return hashOf([event.chainId!, event.contract!, ...header, inputs, outputs]);
}

/** Hexadecimal, or a number. */
type Word = string | number | bigint;

const hashOf = (words: readonly Word[]): Hex =>
  `0x${Buffer.from(keccak_256(Buffer.from(words.map(word).join(''), 'hex'))).toString('hex')}`;

const word = (value: Word): string => (typeof value === 'string' ? value.slice(2).toLowerCase() : value.toString(16)).padStart(64, '0');
