import { Injectable, Optional } from '@nestjs/common';
import { decodeRevert, JsonRpc, quantity, type Rpc, type RpcResult } from '#chain';
import { PasskeyAccounts } from '#identity';
import { EngineUnavailable, checksumAddress } from '#kernel';
import { NOTHING_OBSERVED, type Observation, type ObservedHash, type PollResult } from './observation.js';
import {
  answersTo,
  minedFacts,
  nonceOf,
  type RawBlock,
  type RawReceipt,
  type RawTransaction,
  requirePlace,
  requireSame,
  sentFacts,
} from './raw-transaction.client.js';
import { batchIn, recordedEvent } from './recorded-event.client.js';
import { replacements } from './replacements.client.js';

interface FoundHash extends ObservedHash {
  readonly transaction: RawTransaction | null;
  readonly receipt: RawReceipt | null;
}

/**
 * Looks up transactions, all with one node, in a fixed number of batches: head, transaction and receipt; then the blocks that the
 * receipts name and the senders' nonces; then what only failed or vanished transactions need.
 */
@Injectable()
export class TransactionClient {
  constructor(
    private readonly rpc: JsonRpc,
    @Optional() private readonly accounts?: PasskeyAccounts,
  ) {}

  /** @throws EngineUnavailable('chain') */
  observe(hashes: readonly ObservedHash[]): Promise<PollResult> {
    return this.rpc.pinned(async (rpc) => {
      const [head, ...answers] = await answersTo<string | RawTransaction | RawReceipt>(rpc, [
        { method: 'eth_blockNumber', params: [] },
        ...hashes.flatMap(({ txHash }) => [
          { method: 'eth_getTransactionByHash', params: [txHash] },
          { method: 'eth_getTransactionReceipt', params: [txHash] },
        ]),
      ]);
      if (typeof head !== 'string') throw new EngineUnavailable('chain', 'the node has no head');
      // Of one node: what contradicts itself is not believed.
      const found = hashes.map((hash, i) => ({
        ...hash,
        transaction: answers[2 * i] as RawTransaction | null,
        receipt: answers[2 * i + 1] as RawReceipt | null,
      }));
      for (const { transaction, receipt } of found) requireSame(transaction, receipt);
      return { head: Number(head), observations: await observationsOf(rpc, found, await this.accountsIn(found)) };
    });
  }

  /** Accounts of ours to which some of them were sent: a batch is theirs, although somebody else sent it. Calls of no other contract are unpacked. */
  private async accountsIn(found: readonly FoundHash[]): Promise<ReadonlySet<string>> {
    const receivers = found.flatMap(({ transaction }) =>
      transaction?.to && batchIn(transaction.input) ? [checksumAddress(transaction.to)] : [],
    );
    return receivers.length > 0 && this.accounts ? this.accounts.among(receivers) : new Set();
  }
}

async function observationsOf(
  rpc: Rpc,
  found: readonly FoundHash[],
  accounts: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Observation>> {
  const blocks = await blocksOf(rpc, found);
  for (const { receipt } of found) {
    const block = receipt && blocks.get(Number(receipt.blockNumber));
    if (block) requirePlace(receipt, block);
  }
  const mined = found.filter(({ receipt }) => receipt && blocks.get(Number(receipt.blockNumber))?.hash === receipt.blockHash);
  const failed = mined.filter(({ receipt, ...known }) => receipt!.status !== '0x1' && !reasonIsKnown(known, receipt!));
  const reasons = await revertReasons(rpc, failed);
  // A transaction that is mined, or in the pool of this node, has not lost its nonce.
  const gone = await replacements(
    rpc,
    found.flatMap((of) => (of.receipt || of.transaction?.blockNumber ? [] : nonceKnownOf(of))),
  );
  const minedHashes = new Set(mined.map(({ txHash }) => txHash));
  return new Map(
    found.map((of): [string, Observation] => {
      const { txHash, transaction, receipt } = of;
      const inBlock = minedHashes.has(txHash) ? receipt : null;
      return [
        txHash,
        {
          ...NOTHING_OBSERVED,
          ...(transaction && contentOf(transaction, accounts)),
          mined: inBlock && minedFacts(inBlock, blocks.get(Number(inBlock.blockNumber))!),
          revertReason: inBlock && (reasons.get(txHash) ?? (reasonIsKnown(of, inBlock) ? of.revertReason : null)),
          orphaned: isOrphaned(of, blocks),
          replaced: gone.get(txHash) ?? null,
        },
      ];
    }),
  );
}

function contentOf(transaction: RawTransaction, accounts: ReadonlySet<string>): Partial<Observation> {
  const sent = sentFacts(transaction);
  const batch = sent.to !== null && accounts.has(sent.to) ? batchIn(transaction.input) : null;
  if (!batch) return { sent, ...recordedEvent(transaction.input) };
  return { sent: { from: sent.to!, to: batch.to ?? sent.to, nonce: null }, ...batch.event };
}

/** The canonical blocks, by number, that receipts name and in which transactions were seen before. */
async function blocksOf(rpc: Rpc, found: readonly FoundHash[]): Promise<ReadonlyMap<number, RawBlock>> {
  const numbers = [...new Set(found.flatMap(({ receipt, blockNumber }) => (receipt ? Number(receipt.blockNumber) : (blockNumber ?? []))))];
  const blocks = await answersTo<RawBlock>(
    rpc,
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] })),
  );
  return new Map(numbers.flatMap((number, i) => (blocks[i] ? [[number, blocks[i]]] : [])));
}

const reasonIsKnown = ({ revertReason, blockHash }: ObservedHash, receipt: RawReceipt): boolean =>
  revertReason !== null && blockHash === receipt.blockHash;

/** Another block has the number; a missing block may only be unknown to a node that is behind. */
function isOrphaned({ receipt, blockNumber, blockHash }: FoundHash, blocks: ReadonlyMap<number, RawBlock>): boolean {
  const now = blockNumber === null || receipt ? undefined : blocks.get(blockNumber);
  return now !== undefined && now.hash !== blockHash;
}

function nonceKnownOf({ txHash, transaction, from, nonce }: FoundHash): { txHash: string; from: string; nonce: number }[] {
  if (transaction) return [{ txHash, from: transaction.from, nonce: nonceOf(transaction) }];
  return from === null || nonce === null ? [] : [{ txHash, from, nonce }];
}

interface FailedTransaction {
  readonly txHash: string;
  readonly transaction: RawTransaction | null;
  readonly receipt: RawReceipt | null;
}

const QUESTIONS = 3;
const MOST_CHARACTERS = 500;

/**
 * Why transactions failed, by hash, where the node can tell: by its execution trace of the transaction itself (some nodes have
 * `debug_`, some `trace_`), otherwise by replaying the call on the state before its block, while the node keeps that state. The replay alone
 * would be wrong for a transaction that lost a race within its block: there it succeeds.
 */
async function revertReasons(rpc: Rpc, failed: readonly FailedTransaction[]): Promise<ReadonlyMap<string, string>> {
  if (failed.length === 0) return new Map();
  // No retry for a reason: that the transaction failed is known without it.
  const answers = await rpc.batch(failed.flatMap(questions)).catch((): RpcResult[] => []);
  return new Map(
    failed.flatMap(({ txHash }, i) => {
      const reason = reasonIn(answers.slice(QUESTIONS * i, QUESTIONS * (i + 1)));
      return reason === null ? [] : [[txHash, reason]];
    }),
  );
}

function questions({ txHash, transaction, receipt }: FailedTransaction) {
  const { from, to, input } = transaction ?? { from: undefined, to: undefined, input: '0x' };
  const asked = [
    { method: 'debug_traceTransaction', params: [txHash, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }] },
    { method: 'trace_transaction', params: [txHash] },
    { method: 'eth_call', params: [{ from, to, data: input }, quantity(Math.max(0, Number(receipt!.blockNumber) - 1))] },
  ];
  return asked.map((call) => ({ ...call, optional: true }));
}

interface TracedCall {
  readonly output?: string;
  readonly error?: string;
  readonly result?: { readonly output?: string } | null;
}

function reasonIn([debug, parity, replay]: readonly (RpcResult | undefined)[]): string | null {
  const calls = [debug, parity].flatMap((answer) => (answer?.ok ? [topOf(answer.value)] : []));
  const data = [...calls.map((top) => top?.output ?? top?.result?.output), replay && !replay.ok ? replay.error.data : null];
  for (const output of data) {
    const revert = output ? decodeRevert(output) : null;
    if (revert) return storable(`${revert.name}(${Object.values(revert.args).map(String).join(', ')})`);
  }
  // The rest has no data: out of gas, a bad jump. That it reverted is no reason.
  const fault = calls.map((top) => top?.error).find((error) => error && !/revert/i.test(error));
  return fault ? storable(fault) : null;
}

/** Any contract may have written it, of any length and with U+0000, which PostgreSQL cannot store. A character that is cut in two is replaced. */
const storable = (text: string): string => Buffer.from(text.slice(0, MOST_CHARACTERS)).toString().replaceAll('\0', '\u{fffd}');

const topOf = (value: unknown): TracedCall | null => ((Array.isArray(value) ? value[0] : value) as TracedCall | null | undefined) ?? null;
