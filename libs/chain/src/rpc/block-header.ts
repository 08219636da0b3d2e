import { keccak256 } from 'js-sha3';
import { isData, isQuantity } from './answer-shapes.js';
import { RpcLie } from './rpc-errors.js';
import { hexBytes, integerBytes, rlp, type RlpItem } from './rlp.js';

/** In the order of the header's RLP, integers with `#`; those behind `nonce` came with forks and are absent before them. */
const HEADER = (
  'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom #difficulty #number #gasLimit #gasUsed #timestamp ' +
  'extraData mixHash nonce #baseFeePerGas withdrawalsRoot #blobGasUsed #excessBlobGas parentBeaconBlockRoot requestsHash'
).split(' ');
const NAMES = HEADER.map((name) => name.replace('#', ''));
const REQUIRED = NAMES.slice(0, NAMES.indexOf('nonce') + 1);
/** What nodes send with a header and is not part of it. */
const BESIDE = new Set(['author', 'hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals']);
const KNOWN = new Set([...NAMES, ...BESIDE]);

type Fields = Readonly<Record<string, unknown>>;

/** The RLP of the header as the node gives it. */
export function encodeHeader(block: Fields): Uint8Array {
  return rlp(
    HEADER.flatMap((name, i): RlpItem[] => {
      const value = block[NAMES[i]!];
      return typeof value === 'string' ? [name.startsWith('#') ? integerBytes(BigInt(value)) : hexBytes(value)] : [];
    }),
  );
}

const isEncodable = (name: string, value: unknown): boolean =>
  typeof value !== 'string' || (name.startsWith('#') ? isQuantity(value) : isData(value));

/**
 * The hash of the header's fields. Null where it cannot be told: a chain with other fields, or a fork that added one that this code does not
 * know.
 */
function hashOfHeader(block: Fields): string | null {
  if (!REQUIRED.every((name) => typeof block[name] === 'string') || !HEADER.every((name, i) => isEncodable(name, block[NAMES[i]!])))
    return null;
  if (Object.entries(block).some(([name, value]) => !KNOWN.has(name) && value !== null && value !== undefined)) return null;
  return `0x${keccak256(encodeHeader(block))}`;
}

const isSame = (block: Fields, other: Fields): boolean =>
  block['hash'] === other['hash'] && NAMES.every((name) => block[name] === other[name]);

/**
 * Whether headers hash to what they say. Not every chain hashes them as Ethereum does: IBFT and QBFT leave the seals out. So the newest
 * block of any node of the chain has to show it first.
 */
export class HeaderHashes {
  /** The newest block of some node hashed to its hash. */
  areChecked = false;
  /** The last one that hashed to its hash: most polls get it again, and hashing is most of the work of a poll. */
  private last: Fields | null = null;

  /** @param isNewest the block is the node's latest @throws RpcLie */
  check(block: Fields & { readonly number: string; readonly hash: string }, isNewest: boolean): void {
    if (this.areChecked && this.last !== null && isSame(block, this.last)) return;
    const hash = hashOfHeader(block);
    if (hash === null) return;
    if (hash === block.hash.toLowerCase()) {
      this.areChecked ||= isNewest && Number(block.number) > 0;
      this.last = block;
    } else if (this.areChecked) throw new RpcLie('hash', `block ${Number(block.number)} hashes to ${hash}, not to ${block.hash}`);
  }
}
