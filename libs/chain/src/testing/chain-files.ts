import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BlockLog, type LoggedBlock } from '../node/block-log.js';
import { ChainState } from '../node/chain-state.js';
import { keyOf, StateTable, merged, writeTable } from '../node/state-table.js';

const AT_ONCE = 500;
/** New slots of a mint: quantity, holder, key and the words of the lot. */
const SLOTS_PER_BLOCK = 8;

/** Lengthens a closed embedded chain by writing its files, for measurements at a size that mining would take days to reach. */
export class ChainFiles {
  /** Copies of the last block, each with hashes of its own, until there are `blocks`; and as many slots as their mints would have. */
  static async grow(folder: string, chainId: number, blocks: number): Promise<{ readonly blocks: number; readonly slots: number }> {
    const log = await BlockLog.open(folder, chainId);
    const state = await ChainState.open(folder);
    const { number, hash } = log.last!;
    const template = log.read(number)!;
    let parent = hash;
    for (let next = number + 1; next <= blocks; next += AT_ONCE) {
      const some: LoggedBlock[] = [];
      for (let n = next; n < Math.min(next + AT_ONCE, blocks + 1); n++) {
        some.push(copyOf(template, n, parent));
        parent = some.at(-1)!.block.hash;
      }
      await log.append(some);
    }
    const last = log.last!;
    const tables = state.entries.map(({ file }) => StateTable.open(join(folder, file))!);
    const contract = template.receipts[0]!.logs[0]!.address.slice(2);
    const slots = SLOTS_PER_BLOCK * (blocks - number);
    const known = tables.reduce<Iterable<Buffer>>((older, table) => merged(older, table.entries()), []);
    const codes = Object.assign({}, ...tables.map((table) => table.codes)) as Record<string, string>;
    await writeTable(join(folder, 'state-grown.table'), merged(known, slotsOf(contract, slots)), codes);
    tables.forEach((table) => table.close());
    await state.adopt([{ file: 'state-grown.table', upTo: last, block: { ...log.read(last.number)!.block, transactions: [] } }]);
    state.close();
    await log.close();
    return { blocks: last.number, slots };
  }
}

const newHash = (): string => `0x${randomBytes(32).toString('hex')}`;

function copyOf({ block, receipts, raw }: LoggedBlock, number: number, parentHash: string): LoggedBlock {
  const [blockNumber, hash, transaction] = [`0x${number.toString(16)}`, newHash(), newHash()];
  const place = { blockHash: hash, blockNumber };
  // Signatures and names of lots differ from block to block too, so that a block compresses as badly as a real one.
  const unique = randomBytes(128).toString('hex');
  return {
    block: {
      ...block,
      number: blockNumber,
      hash,
      parentHash,
      transactions: block.transactions.map((one) => ({ ...one, ...place, hash: transaction })),
    },
    receipts: receipts.map((one) => ({
      ...one,
      ...place,
      transactionHash: transaction,
      logs: one.logs.map((log) => ({ ...log, ...place, transactionHash: transaction })),
    })),
    raw: raw.map((one) => `0x${unique}${one.slice(2 + unique.length)}`),
  };
}

/** In ascending order, spread evenly like the hashes that slots are. */
function* slotsOf(contract: string, count: number): Generator<Buffer> {
  const distance = 2n ** 256n / BigInt(count + 1);
  for (let i = 1n; i <= BigInt(count); i++)
    yield Buffer.concat([keyOf(contract, 'slot', (i * distance).toString(16).padStart(64, '0')), randomBytes(32)]);
}
