import type { Hex } from '#kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { tenantCreatedTopic, tenantLotsTopics } from '../codec/index.js';
import { quantity, type Rpc, RpcBehind, valueOf } from '../rpc/index.js';
import type { FoundLog, Header } from './chain-step.js';
import { fillsBloom, heldBy } from './logs-bloom.js';

interface RawHeader {
  readonly number: string;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: string;
  readonly logsBloom?: string;
}

interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: Hex;
  readonly blockTimestamp?: string;
  readonly transactionHash: Hex;
  readonly logIndex: string;
  readonly removed?: boolean;
}

export const FOLLOWED_TOPICS: readonly string[] = [tenantCreatedTopic, ...tenantLotsTopics];
const followed = new Set(FOLLOWED_TOPICS);
const ASK_AGAIN = 3;
/** Of which all logs are asked for in one exchange: a full block may have thousands. */
const BLOCKS_AT_ONCE = 8;

export async function headerAt(rpc: Rpc, block: number | 'latest'): Promise<Header | null> {
  const raw = await rpc.call<RawHeader | null>('eth_getBlockByNumber', [block === 'latest' ? block : quantity(block), false]);
  return raw && header(raw);
}

/**
 * Both in one exchange. The tag is usable when it names a block after genesis that is not ahead of the head: a node that does not keep
 * finality refuses it, answers null, or says 0 for ever (chain.md §1).
 */
export async function latestAndFinalized(rpc: Rpc): Promise<{ readonly latest: Header | null; readonly finalized: number | null }> {
  const [latest, tag] = await rpc.batch(
    ['latest', 'finalized'].map((block) => ({ method: 'eth_getBlockByNumber', params: [block, false] })),
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
});

/**
 * All followed logs of one block, asked for by its hash and without a filter, so that the answer can be compared with the
 * block's bloom. @throws RpcBehind when the node keeps answering with less than the block has
 */
export async function logsOfBlock(rpc: Rpc, block: Header): Promise<FoundLog[]> {
  for (let tries = 1; ; tries++) {
    const logs = wholeBlock(block, await rpc.call<RawLog[]>('eth_getLogs', [{ blockHash: block.hash }]));
    if (logs) return logs;
    if (tries === ASK_AGAIN) throw new RpcBehind(`the node has not all logs of block ${block.number}`);
    await sleep(20 * tries);
  }
}

/** Null when these are not all logs of the block. */
function wholeBlock(block: Header, logs: readonly RawLog[]): FoundLog[] | null {
  const whole = logs.every((log) => log.blockHash === block.hash) && noneTwice(logs) && fillsBloom(block.logsBloom, logs);
  return whole ? foundLogs(logs, () => block.timestamp) : null;
}

/** All followed logs of several blocks: some in one exchange, those that did not come whole once more one by one. */
async function logsOfBlocks(rpc: Rpc, blocks: readonly Header[]): Promise<FoundLog[]> {
  const found: FoundLog[] = [];
  for (let from = 0; from < blocks.length; from += BLOCKS_AT_ONCE) {
    const some = blocks.slice(from, from + BLOCKS_AT_ONCE);
    const answers = await rpc.batch(some.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash }] })));
    for (const [i, block] of some.entries()) {
      const answer = answers[i]!;
      found.push(...((answer.ok && wholeBlock(block, answer.value as RawLog[])) || (await logsOfBlock(rpc, block))));
    }
  }
  return found;
}

/**
 * A range's logs, with those blocks read again by hash of which some may be missing: the last one that has any, for a node that cuts its
 * answer short cuts there, and those whose bloom speaks of a followed event that no log of theirs shows. A full bloom speaks of nearly
 * everything: it is believed only where nothing at all was shown, which is how a node looks that has lost its index of a block. Only
 * blocks whose headers are at hand can be looked at.
 * @throws RpcBehind when a block's logs are not to be had whole
 */
export async function completed(rpc: Rpc, headers: readonly Header[], found: readonly FoundLog[]): Promise<readonly FoundLog[]> {
  const shown = new Map<number, Set<string>>();
  for (const { block, topics } of found) {
    const before = shown.get(block.number);
    if (before) before.add(topics[0]!);
    else shown.set(block.number, new Set([topics[0]!]));
  }
  const last = found.at(-1)?.block.number;
  const doubtful = headers.filter(({ number, logsBloom }) => number === last || seemsShort(logsBloom, shown.get(number)));
  if (doubtful.length === 0) return found;
  const again = new Set(doubtful.map(({ number }) => number));
  const kept = found.filter(({ block }) => !again.has(block.number));
  return [...kept, ...(await logsOfBlocks(rpc, doubtful))].toSorted((a, b) => a.block.number - b.block.number || a.logIndex - b.logIndex);
}

function seemsShort(bloom: string | null, shown: ReadonlySet<string> | undefined): boolean {
  const held = heldBy(bloom, FOLLOWED_TOPICS);
  if (!held || (shown && !held.telling)) return false;
  return held.values.some((topic) => !shown?.has(topic));
}

export interface LogRange {
  readonly first: Header;
  readonly last: Header;
  readonly logs: readonly FoundLog[];
}

/**
 * Followed logs of a range, with the headers of its ends, all in one exchange: a node whose head lies before the end
 * answers short and looks valid. @throws RpcBehind, RpcRefused for a range that is too large
 */
export async function logsOfRange(rpc: Rpc, from: number, to: number): Promise<LogRange> {
  const [head, first, last, logs] = await rpc.batch([
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_getBlockByNumber', params: [quantity(from), false] },
    { method: 'eth_getBlockByNumber', params: [quantity(to), false] },
    { method: 'eth_getLogs', params: [{ fromBlock: quantity(from), toBlock: quantity(to), topics: [FOLLOWED_TOPICS] }] },
  ]);
  const ends = [first, last].map((end) => valueOf<RawHeader | null>(end!));
  if (Number(valueOf<string>(head!)) < to || !ends[0] || !ends[1]) throw new RpcBehind(`the node has not yet block ${to}`);
  const raw = valueOf<RawLog[]>(logs!);
  if (!noneTwice(raw) || raw.some((log) => Number(log.blockNumber) < from || Number(log.blockNumber) > to || log.removed === true))
    throw new RpcBehind(`the node's logs of blocks ${from} to ${to} contradict themselves`);
  const times = await blockTimes(rpc, raw);
  return { first: header(ends[0]), last: header(ends[1]), logs: foundLogs(raw, (log) => times(log)) };
}

/** Most nodes say the block's time with the log; for the others one header per block that has logs. */
async function blockTimes(rpc: Rpc, logs: readonly RawLog[]): Promise<(log: RawLog) => Date> {
  const silent = [...new Set(logs.filter((log) => log.blockTimestamp === undefined).map((log) => Number(log.blockNumber)))];
  const headers = silent.length === 0 ? [] : await headersAt(rpc, silent);
  const times = new Map(headers.map((found, i) => [silent[i]!, found?.timestamp]));
  return (log) => {
    const time = log.blockTimestamp === undefined ? times.get(Number(log.blockNumber)) : new Date(Number(log.blockTimestamp) * 1_000);
    if (!time) throw new RpcBehind(`the node lost block ${Number(log.blockNumber)}`);
    return time;
  };
}

function noneTwice(logs: readonly RawLog[]): boolean {
  return new Set(logs.map((log) => `${log.blockHash}${log.logIndex}`)).size === logs.length;
}

/** In chain order, whatever order they came in; counted per transaction among the followed ones. */
function foundLogs(raw: readonly RawLog[], timeOf: (log: RawLog) => Date): FoundLog[] {
  const counts = new Map<string, number>();
  const blocks = new Map<string, FoundLog['block']>();
  return raw
    .filter((log) => followed.has(log.topics[0] ?? ''))
    .map((log) => ({ log, number: Number(log.blockNumber), logIndex: Number(log.logIndex) }))
    .toSorted((a, b) => a.number - b.number || a.logIndex - b.logIndex)
    .map(({ log, number, logIndex }) => {
      const txLogIndex = counts.get(log.transactionHash) ?? 0;
      counts.set(log.transactionHash, txLogIndex + 1);
      const known = blocks.get(log.blockHash);
      const block = known?.number === number ? known : { number, hash: log.blockHash, timestamp: timeOf(log) };
      blocks.set(log.blockHash, block);
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
