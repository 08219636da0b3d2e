import type { Hex } from '#kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { tenantCreatedTopic, tenantLotsTopics } from '../codec/tenant-lots.js';
import { quantity, type Rpc, valueOf } from '../rpc/json-rpc.js';
import type { RpcCall } from '../rpc/rpc-endpoint.js';
import { RpcBehind, RpcLie } from '../rpc/rpc-errors.js';
import type { ChainLog, Header } from './chain-event.js';
import { fillsBloom, matchBloom, missingFromBloom } from './logs-bloom.js';

interface RawHeader {
  readonly number: string;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: string;
  readonly logsBloom?: string | null;
  readonly transactions: readonly string[];
}

interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: string;
  readonly logIndex: string;
}

export const FOLLOWED_TOPICS: readonly string[] = [tenantCreatedTopic, ...tenantLotsTopics];
const followed = new Set(FOLLOWED_TOPICS);
const MAX_TRIES = 3;
/** Blocks whose logs are requested in one batch: a full block may have thousands of logs. */
const BLOCKS_PER_BATCH = 8;

export async function headerAt(rpc: Rpc, block: number | 'latest'): Promise<Header | null> {
  const raw = await rpc.call<RawHeader | null>('eth_getBlockByNumber', [block === 'latest' ? block : quantity(block), false]);
  return raw && header(raw);
}

/**
 * Both in one batch. The tag is usable when it names a block after genesis that is not ahead of the head. A node without finality
 * refuses the tag, answers null, or always answers block 0.
 */
export async function latestAndFinalized(rpc: Rpc): Promise<{ readonly latest: Header | null; readonly finalized: number | null }> {
  const [latest, tag] = await rpc.batch(
    ['latest', 'finalized'].map((block) => ({ method: 'eth_getBlockByNumber', params: [block, false], optional: block === 'finalized' })),
  );
  const raw = valueOf<RawHeader | null>(latest!);
  const number = tag!.ok && tag!.value !== null ? Number((tag!.value as RawHeader).number) : 0;
  return { latest: raw && header(raw), finalized: raw && number > 0 && number <= Number(raw.number) ? number : null };
}

/** Null for blocks that the node does not have. */
export async function headersAt(rpc: Rpc, numbers: readonly number[]): Promise<(Header | null)[]> {
  const results = await rpc.batch(numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] })));
  return results.map((result) => {
    const raw = valueOf<RawHeader | null>(result);
    return raw && header(raw);
  });
}

const header = (raw: RawHeader): Header => ({
  number: Number(raw.number),
  hash: raw.hash,
  parentHash: raw.parentHash,
  timestamp: new Date(Number(raw.timestamp) * 1_000),
  logsBloom: raw.logsBloom ?? null,
  transactions: raw.transactions,
});

/**
 * All followed logs of one block, requested by its hash and without a filter, so that the answer can be compared with the block's
 * bloom. @throws RpcBehind when the node repeatedly returns fewer logs than the block has
 */
export async function logsOfBlock(rpc: Rpc, block: Header): Promise<ChainLog[]> {
  for (let tries = 1; ; tries++) {
    const [answer] = await rpc.batch([logsBy(block)]);
    if (!answer!.ok) throw new RpcBehind(`the node refuses the logs of block ${block.number}: ${answer!.error.message}`);
    const logs = checkedLogs(block, answer!.value as RawLog[]);
    if (logs) return logs;
    if (tries === MAX_TRIES) throw new RpcBehind(`the node does not have all logs of block ${block.number}`);
    await sleep(20 * tries);
  }
}

const logsBy = ({ hash }: Header): RpcCall => ({ method: 'eth_getLogs', params: [{ blockHash: hash }] });

/** Null when these are not all logs of the block. @throws RpcLie */
function checkedLogs(block: Header, logs: readonly RawLog[]): ChainLog[] | null {
  for (const log of logs) requireOfBlock(block, log);
  if (!fillsBloom(block.logsBloom, logs)) return null;
  const indexes = logs.map((log) => Number(log.logIndex));
  // Unique, as for every answer: a gap means that an index is wrong or a log is missing.
  if (logs.length > 0 && Math.max(...indexes) !== logs.length - 1)
    throw new RpcLie('logIndex', `the logs of block ${block.number} have gaps`);
  return followedLogs(logs, () => block);
}

/** What the header says too is compared with it. @throws RpcLie */
function requireOfBlock(block: Header, log: RawLog): void {
  const { blockNumber, blockHash, transactionHash, transactionIndex } = log;
  if (blockHash !== block.hash) throw new RpcLie('blockHash', `block ${block.number} is ${block.hash}, its log says ${blockHash}`);
  if (Number(blockNumber) !== block.number) throw new RpcLie('blockNumber', `a log of block ${block.number} says ${Number(blockNumber)}`);
  if (block.transactions[Number(transactionIndex)] !== transactionHash) {
    const field = block.transactions.includes(transactionHash) ? 'transactionIndex' : 'transactionHash';
    throw new RpcLie(field, `block ${block.number} does not have ${transactionHash} at ${Number(transactionIndex)}`);
  }
  const missing = missingFromBloom(block.logsBloom, log);
  if (missing) throw new RpcLie(missing, `log ${Number(log.logIndex)} is not in the bloom of block ${block.number}`);
}

/** All followed logs of several blocks, in batches; a block whose logs came incomplete is requested again on its own. */
async function logsOfBlocks(rpc: Rpc, blocks: readonly Header[]): Promise<ChainLog[]> {
  const logs: ChainLog[] = [];
  for (let from = 0; from < blocks.length; from += BLOCKS_PER_BATCH) {
    const chunk = blocks.slice(from, from + BLOCKS_PER_BATCH);
    const answers = await rpc.batch(chunk.map(logsBy));
    for (const [i, block] of chunk.entries()) {
      const answer = answers[i]!;
      logs.push(...((answer.ok && checkedLogs(block, answer.value as RawLog[])) || (await logsOfBlock(rpc, block))));
    }
  }
  return logs;
}

/**
 * The logs of a range, after blocks that may be incomplete were read again by hash. These are: the last block with logs, because a node
 * that truncates its answer cuts there; and blocks whose bloom contains a followed event that none of their logs has. A nearly full bloom
 * matches almost everything, so it counts only for a block without any log: a node that has lost its index of a block answers like that.
 * Only blocks whose headers were read can be checked.
 * @throws RpcBehind when the complete logs of a block are not available
 */
export async function completeLogs(rpc: Rpc, headers: readonly Header[], logs: readonly ChainLog[]): Promise<readonly ChainLog[]> {
  const topicsByBlock = new Map<number, Set<string>>();
  for (const { block, topics } of logs) {
    const known = topicsByBlock.get(block.number);
    if (known) known.add(topics[0]!);
    else topicsByBlock.set(block.number, new Set([topics[0]!]));
  }
  const last = logs.at(-1)?.block.number;
  const doubtful = headers.filter(({ number, logsBloom }) => number === last || seemsIncomplete(logsBloom, topicsByBlock.get(number)));
  if (doubtful.length === 0) return logs;
  const again = new Set(doubtful.map(({ number }) => number));
  const kept = logs.filter(({ block }) => !again.has(block.number));
  return [...kept, ...(await logsOfBlocks(rpc, doubtful))].toSorted((a, b) => a.block.number - b.block.number || a.logIndex - b.logIndex);
}

function seemsIncomplete(bloom: string | null, topics: ReadonlySet<string> | undefined): boolean {
  const match = matchBloom(bloom, FOLLOWED_TOPICS);
  if (!match || (topics && !match.selective)) return false;
  return match.values.some((topic) => !topics?.has(topic));
}

export interface LogRange {
  readonly first: Header;
  readonly last: Header;
  /** Of the blocks with logs. */
  readonly headers: readonly Header[];
  readonly logs: readonly ChainLog[];
}

/**
 * Followed logs of a range and the headers of its ends, all in one batch: the answer of a node whose head is before the end is incomplete
 * and looks valid. @throws RpcBehind, RpcLie, RpcRefused for a range that is too large
 */
export async function logsOfRange(rpc: Rpc, from: number, to: number): Promise<LogRange> {
  const [head, first, last, logs] = await rpc.batch([
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_getBlockByNumber', params: [quantity(from), false] },
    { method: 'eth_getBlockByNumber', params: [quantity(to), false] },
    { method: 'eth_getLogs', params: [{ fromBlock: quantity(from), toBlock: quantity(to), topics: [FOLLOWED_TOPICS] }] },
  ]);
  const ends = [first, last].map((end) => valueOf<RawHeader | null>(end!));
  if (Number(valueOf<string>(head!)) < to || !ends[0] || !ends[1]) throw new RpcBehind(`the node does not have block ${to} yet`);
  const raw = valueOf<RawLog[]>(logs!);
  const [start, end] = [header(ends[0]), header(ends[1])];
  const blocks = await blocksOf(rpc, raw, [start, end]);
  return { first: start, last: end, headers: [...new Set(raw.map(blocks))], logs: followedLogs(raw, blocks) };
}

/** The header of each block with logs: number, hash, time and transactions of a log are those of its header. @throws RpcLie, RpcBehind */
async function blocksOf(rpc: Rpc, logs: readonly RawLog[], known: readonly Header[]): Promise<(log: RawLog) => Header> {
  const blocks = new Map(known.map((block) => [block.number, block]));
  const missing = [...new Set(logs.map((log) => Number(log.blockNumber)))].filter((number) => !blocks.has(number));
  for (const [i, block] of (await headersAt(rpc, missing)).entries()) {
    if (!block) throw new RpcBehind(`the node does not have block ${missing[i]} any more`);
    blocks.set(block.number, block);
  }
  const blockOf = (log: RawLog): Header => blocks.get(Number(log.blockNumber))!;
  for (const log of logs) requireOfBlock(blockOf(log), log);
  return blockOf;
}

/** Sorted in chain order. `txLogIndex` counts the followed logs of a transaction. */
function followedLogs(raw: readonly RawLog[], headerOf: (log: RawLog) => Header): ChainLog[] {
  const counts = new Map<string, number>();
  const blocks = new Map<Header, ChainLog['block']>();
  return raw
    .filter((log) => followed.has(log.topics[0] ?? ''))
    .map((log) => ({ log, header: headerOf(log), logIndex: Number(log.logIndex) }))
    .toSorted((a, b) => a.header.number - b.header.number || a.logIndex - b.logIndex)
    .map(({ log, header: { number, hash, timestamp }, header: of, logIndex }) => {
      const txLogIndex = counts.get(log.transactionHash) ?? 0;
      counts.set(log.transactionHash, txLogIndex + 1);
      const block = blocks.get(of) ?? { number, hash, timestamp };
      blocks.set(of, block);
      return {
        address: log.address.toLowerCase(),
        topics: log.topics,
        data: log.data,
        block,
        txHash: log.transactionHash,
        logIndex,
        txLogIndex,
      };
    });
}
