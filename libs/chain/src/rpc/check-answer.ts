import { RpcLie } from './rpc-errors.js';
import {
  blockShape,
  isData,
  isHash,
  isQuantity,
  logShape,
  type RawBlock,
  type RawLogAnswer,
  type RawReceiptAnswer,
  receiptShape,
  transactionShape,
} from './answer-shapes.js';

/**
 * Compares an answer with what its method can return, and with what the request already says. Every reader of the chain is behind this
 * check. @returns false for a value that the method never has @throws RpcLie
 */
export function checkAnswer({ method, params }: { readonly method: string; readonly params: readonly unknown[] }, value: unknown): boolean {
  const check = CHECKS.get(method);
  return check === undefined || check(value, params);
}

type Check = (value: unknown, params: readonly unknown[]) => boolean;
const orNull =
  (check: Check): Check =>
  (value, params) =>
    value === null || check(value, params);

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...[
    'eth_blockNumber',
    'eth_chainId',
    'eth_estimateGas',
    'eth_gasPrice',
    'eth_getBalance',
    'eth_getTransactionCount',
    'eth_maxPriorityFeePerGas',
  ].map((method): [string, Check] => [method, isQuantity]),
  ['eth_call', isData],
  ['eth_getCode', isData],
  ['eth_sendRawTransaction', isHash],
  ['eth_getBlockByNumber', orNull(blockByNumber)],
  ['eth_getBlockByHash', orNull(blockByHash)],
  ['eth_getTransactionByHash', orNull(transaction)],
  ['eth_getTransactionBySenderAndNonce', orNull(transactionOfNonce)],
  ['eth_getTransactionReceipt', orNull(receipt)],
  ['eth_getLogs', logs],
]);

function blockByNumber(value: unknown, [number]: readonly unknown[]): boolean {
  if (!blockShape(value)) return false;
  // A tag (`latest`) says no number.
  if (isQuantity(number)) same('number', Number((value as RawBlock).number), Number(number));
  return true;
}

function blockByHash(value: unknown, [hash]: readonly unknown[]): boolean {
  if (!blockShape(value)) return false;
  sameText('hash', (value as RawBlock).hash, hash);
  return true;
}

function transaction(value: unknown, [hash]: readonly unknown[]): boolean {
  if (!transactionShape(value)) return false;
  sameText('hash', (value as { readonly hash: string }).hash, hash);
  return true;
}

function transactionOfNonce(value: unknown, [sender, nonce]: readonly unknown[]): boolean {
  if (!transactionShape(value)) return false;
  const found = value as { readonly from: string; readonly nonce: string };
  sameText('from', found.from, sender);
  same('nonce', BigInt(found.nonce), BigInt(nonce as string));
  return true;
}

function receipt(value: unknown, [hash]: readonly unknown[]): boolean {
  if (!receiptShape(value)) return false;
  const { transactionHash, transactionIndex, blockHash, blockNumber, status, logs: own } = value as RawReceiptAnswer;
  sameText('transactionHash', transactionHash, hash);
  for (const log of own) {
    sameText('transactionHash', log.transactionHash, transactionHash);
    sameText('blockHash', log.blockHash, blockHash);
    same('blockNumber', Number(log.blockNumber), Number(blockNumber));
    same('transactionIndex', Number(log.transactionIndex), Number(transactionIndex));
  }
  consistent(own);
  if (Number(status) === 0 && own.length > 0) throw new RpcLie('status', `${transactionHash} failed and has logs`);
  return true;
}

interface Filter {
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

function logs(value: unknown, [given]: readonly unknown[]): boolean {
  if (!Array.isArray(value) || !value.every(logShape)) return false;
  const all = value as readonly RawLogAnswer[];
  const filter = given as Filter;
  const addresses = filter.address === undefined ? null : new Set([filter.address].flat().map((address) => address.toLowerCase()));
  const topics = filter.topics?.map((topic) => (topic === null ? null : new Set([topic].flat()))) ?? [];
  for (const log of all) {
    if (filter.blockHash !== undefined) sameText('blockHash', log.blockHash, filter.blockHash);
    inRange(log, filter);
    if (addresses && !addresses.has(log.address.toLowerCase())) throw new RpcLie('address', `${log.address} was not requested`);
    if (topics.some((wanted, i) => wanted && !wanted.has(log.topics[i] ?? '')))
      throw new RpcLie('topics', 'an event that was not requested');
  }
  consistent(all);
  return true;
}

function inRange({ blockNumber }: RawLogAnswer, { fromBlock, toBlock }: Filter): void {
  const number = Number(blockNumber);
  if ((isQuantity(fromBlock) && number < Number(fromBlock)) || (isQuantity(toBlock) && number > Number(toBlock)))
    throw new RpcLie('blockNumber', `${number} was not requested`);
}

/** A block has one number, a transaction one place in it, and a log one index, in the order of the transactions. */
function consistent(all: readonly RawLogAnswer[]): void {
  const numbers = new Map<string, number>();
  const hashes = new Map<number, string>();
  const places = new Map<string, string>();
  for (const { blockHash, blockNumber, transactionHash, transactionIndex, removed } of all) {
    if (removed === true) throw new RpcLie('removed', `a log of block ${blockHash}`);
    const number = Number(blockNumber);
    same('blockNumber', number, getOrSet(numbers, blockHash, number));
    same('blockHash', blockHash, getOrSet(hashes, number, blockHash));
    const place = `${blockHash} ${Number(transactionIndex)}`;
    same('transactionIndex', place, getOrSet(places, transactionHash, place));
  }
  const sorted = all.toSorted((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex));
  for (const [i, log] of sorted.entries()) {
    const before = sorted[i - 1];
    if (before?.blockHash !== log.blockHash) continue;
    if (Number(before.logIndex) === Number(log.logIndex))
      throw new RpcLie('logIndex', `${Number(log.logIndex)} twice in block ${log.blockHash}`);
    if (Number(before.transactionIndex) > Number(log.transactionIndex))
      throw new RpcLie('logIndex', `not in the order of the transactions of block ${log.blockHash}`);
  }
}

function getOrSet<K, V>(map: Map<K, V>, key: K, value: V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  map.set(key, value);
  return value;
}

function same(field: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new RpcLie(field, `${String(found)} instead of ${String(expected)}`);
}

/** Hexadecimal digits may have any case. */
const sameText = (field: string, found: string, expected: unknown): void =>
  same(field, found.toLowerCase(), String(expected).toLowerCase());
