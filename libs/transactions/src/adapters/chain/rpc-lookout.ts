import { JsonRpc, type Rpc, quantity } from '#chain';
import { EngineUnavailable } from '#kernel';
import { Injectable } from '@nestjs/common';
import { type Sighting, UNSEEN_SIGHTING } from '../../domain/tracked-transaction.js';
import { type AskedHash, type Look, TransactionLookout } from '../../ports.js';
import { replacements } from './find-replacement.js';
import {
  type RawBlock,
  type RawReceipt,
  type RawTransaction,
  asked,
  minedFacts,
  nonceOf,
  recordedEvent,
  sentFacts,
} from './raw-transaction.js';
import { revertReasons } from './read-revert.js';

interface Found extends AskedHash {
  readonly transaction: RawTransaction | null;
  readonly receipt: RawReceipt | null;
}

/**
 * Every hash with one node, in a fixed number of rounds: head, transaction and receipt; then the blocks that the receipts name
 * and the senders' nonces; then what only failed or vanished transactions need. Each round is a batch.
 */
@Injectable()
export class RpcLookout extends TransactionLookout {
  constructor(private readonly rpc: JsonRpc) {
    super();
  }

  override look(hashes: readonly AskedHash[]): Promise<Look> {
    return this.rpc.pinned(async (rpc) => {
      const [head, ...answers] = await asked<string | RawTransaction | RawReceipt>(rpc, [
        { method: 'eth_blockNumber', params: [] },
        ...hashes.flatMap(({ txHash }) => [
          { method: 'eth_getTransactionByHash', params: [txHash] },
          { method: 'eth_getTransactionReceipt', params: [txHash] },
        ]),
      ]);
      if (typeof head !== 'string') throw new EngineUnavailable('chain', 'the node knows no head');
      const found = hashes.map((hash, i) => ({
        ...hash,
        transaction: answers[2 * i] as RawTransaction | null,
        receipt: answers[2 * i + 1] as RawReceipt | null,
      }));
      return { head: Number(head), sightings: await sightingsOf(rpc, found) };
    });
  }
}

async function sightingsOf(rpc: Rpc, found: readonly Found[]): Promise<ReadonlyMap<string, Sighting>> {
  const blocks = await blocksOf(rpc, found);
  const mined = found.filter(({ receipt }) => receipt && blocks.get(Number(receipt.blockNumber))?.hash === receipt.blockHash);
  const failed = mined.filter(({ receipt, ...known }) => receipt!.status !== '0x1' && !reasonIsKnown(known, receipt!));
  const reasons = await revertReasons(rpc, failed);
  // Whoever says that it was mined, or that it is on its way, has not lost its nonce.
  const gone = await replacements(
    rpc,
    found.flatMap((of) => (of.receipt || of.transaction?.blockNumber ? [] : whose(of))),
  );
  const minedHashes = new Set(mined.map(({ txHash }) => txHash));
  return new Map(
    found.map((of): [string, Sighting] => {
      const { txHash, transaction, receipt } = of;
      const inBlock = minedHashes.has(txHash) ? receipt : null;
      return [
        txHash,
        {
          ...UNSEEN_SIGHTING,
          ...(transaction && { sent: sentFacts(transaction), ...recordedEvent(transaction.input) }),
          mined: inBlock && minedFacts(inBlock, blocks.get(Number(inBlock.blockNumber))!),
          revertReason: inBlock && (reasons.get(txHash) ?? (reasonIsKnown(of, inBlock) ? of.revertReason : null)),
          orphaned: isOrphaned(of, blocks),
          replaced: gone.get(txHash) ?? null,
        },
      ];
    }),
  );
}

/** The canonical blocks, by number, that receipts name and in which transactions were seen before. */
async function blocksOf(rpc: Rpc, found: readonly Found[]): Promise<ReadonlyMap<number, RawBlock>> {
  const numbers = [...new Set(found.flatMap(({ receipt, blockNumber }) => (receipt ? Number(receipt.blockNumber) : (blockNumber ?? []))))];
  const blocks = await asked<RawBlock>(
    rpc,
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] })),
  );
  return new Map(numbers.flatMap((number, i) => (blocks[i] ? [[number, blocks[i]]] : [])));
}

const reasonIsKnown = ({ revertReason, blockHash }: AskedHash, receipt: RawReceipt): boolean =>
  revertReason !== null && blockHash === receipt.blockHash;

/** Another block stands at the number; one that is not there may only be unknown to a node that is behind. */
function isOrphaned({ receipt, blockNumber, blockHash }: Found, blocks: ReadonlyMap<number, RawBlock>): boolean {
  const now = blockNumber === null || receipt ? undefined : blocks.get(blockNumber);
  return now !== undefined && now.hash !== blockHash;
}

function whose({ txHash, transaction, from, nonce }: Found): { txHash: string; from: string; nonce: number }[] {
  if (transaction) return [{ txHash, from: transaction.from, nonce: nonceOf(transaction) }];
  return from === null || nonce === null ? [] : [{ txHash, from, nonce }];
}
