import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Hex } from '#kernel';
import type { ChainEvent } from '../../domain/chain-event.js';

/**
 * What the contract keeps of an event (Header in contracts/src/TenantLots.sol): keccak256(abi.encode(chainid, contract, header,
 * keccak256(abi.encode(inputTokenIds, consumed)), keccak256(abi.encode(outputs)))). Everything in it is static, so the encoding is
 * one word after the other.
 */
export function commitmentOf(event: ChainEvent): Hex {
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
