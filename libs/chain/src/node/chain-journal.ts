import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NodeNotUsable } from './anvil-binary.js';
import { replaceFile, syncFolder } from './durable-file.js';

/** All that is needed to mine a block again with the same hash on the same parent. */
export interface JournalBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Hex. anvil gives the first blocks of a reorg another base fee than their parents ask for. */
  readonly baseFee: string;
  /** Signed transactions in the block's order. */
  readonly raw: readonly string[];
}

export interface Genesis {
  readonly chainId: number;
  readonly timestamp: number;
}

interface BlockId {
  readonly number: number;
  readonly hash: string;
}

/**
 * Blocks since the last snapshot, one JSON line each, on disk before anybody relies on them. A line with a number that
 * was written before replaces that block and all after it: that is how a reorg is written down.
 *
 * `journal.jsonl` continues `journal.old.jsonl`, which goes back to the snapshot before the last: whichever of the two
 * snapshots can be read, the blocks after it are here.
 */
export class ChainJournal {
  private readonly chain = new Map<number, JournalBlock>();
  private lastNumber: number;

  private constructor(
    private readonly folder: string,
    readonly genesis: Genesis,
    private base: BlockId | null,
    private file: FileHandle,
  ) {
    this.lastNumber = base?.number ?? -1;
  }

  /** @throws NodeNotUsable when the journal is of another chain or damaged in the middle */
  static async open(folder: string, fresh: Genesis): Promise<ChainJournal> {
    const path = join(folder, CURRENT);
    const lines = await readLines(path);
    const head = lines[0] as Head | undefined;
    if (head && head.genesis.chainId !== fresh.chainId)
      throw new NodeNotUsable(
        `The embedded chain in ${folder} has the id ${head.genesis.chainId}, not ${fresh.chainId}: set CHAIN_ID, or use another data folder.`,
      );
    const genesis = head?.genesis ?? fresh;
    const blocks = lines.slice(1) as JournalBlock[];
    // Written anew so that a line torn by a kill does not stand in the middle of the next one.
    await replaceFile(path, [head ?? { genesis, base: null }, ...blocks].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const journal = new ChainJournal(folder, genesis, head?.base ?? null, await open(path, 'a'));
    const older = (await readLines(join(folder, OLD))).slice(1) as JournalBlock[];
    for (const block of older) journal.remember(block);
    if (head?.base) journal.forgetAfter(head.base.number);
    for (const block of blocks) journal.remember(block);
    return journal;
  }

  get last(): BlockId | null {
    return this.chain.get(this.lastNumber) ?? this.base;
  }

  /** What lies below is in the snapshot and cannot be written down differently. */
  get floor(): number {
    return this.base?.number ?? 0;
  }

  /** Blocks written since the last snapshot. */
  get length(): number {
    return Math.max(0, this.lastNumber - this.floor);
  }

  at(number: number): BlockId | undefined {
    return this.chain.get(number) ?? (this.base?.number === number ? this.base : undefined);
  }

  after(number: number): JournalBlock[] {
    const blocks: JournalBlock[] = [];
    for (let n = number + 1; n <= this.lastNumber && this.chain.has(n); n++) blocks.push(this.chain.get(n)!);
    return blocks;
  }

  /** Resolves when the blocks are on the disk itself. */
  async append(blocks: readonly JournalBlock[]): Promise<void> {
    await this.file.appendFile(blocks.map((block) => `${JSON.stringify(block)}\n`).join(''));
    await this.file.datasync();
    for (const block of blocks) this.remember(block);
  }

  /** A snapshot holds everything up to `base`: starts a new file and keeps the one before. */
  async rebase(base: BlockId): Promise<void> {
    const kept = continuing(base, this.after(base.number));
    await this.file.close();
    const path = join(this.folder, CURRENT);
    // The new file stands aside complete before the old one moves away; a kill in between is mended by `readLines`.
    const lines = [{ genesis: this.genesis, base }, ...kept].map((line) => `${JSON.stringify(line)}\n`).join('');
    await replaceFile(`${path}.next`, lines);
    await rename(path, join(this.folder, OLD));
    await rename(`${path}.next`, path);
    await syncFolder(dirname(path));
    for (const number of this.chain.keys()) if (number <= this.floor) this.chain.delete(number);
    this.base = base;
    this.forgetAfter(kept.at(-1)?.number ?? base.number);
    this.file = await open(path, 'a');
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private remember(block: JournalBlock): void {
    this.forgetAfter(block.number);
    this.chain.set(block.number, block);
  }

  private forgetAfter(number: number): void {
    for (let n = number + 1; n <= this.lastNumber; n++) this.chain.delete(n);
    this.lastNumber = number;
  }
}

/** The blocks up to the first that does not stand on the one before. */
function continuing(base: BlockId, blocks: readonly JournalBlock[]): readonly JournalBlock[] {
  let parent = base.hash;
  const broken = blocks.findIndex((block) => {
    const stands = block.parentHash === parent;
    parent = block.hash;
    return !stands;
  });
  return broken < 0 ? blocks : blocks.slice(0, broken);
}

interface Head {
  readonly genesis: Genesis;
  readonly base: BlockId | null;
}

const CURRENT = 'journal.jsonl';
const OLD = 'journal.old.jsonl';

async function readLines(path: string): Promise<unknown[]> {
  const text = (await readOrNull(path)) ?? (await readOrNull(`${path}.next`)) ?? '';
  const lines = text.split('\n');
  const torn = lines.pop();
  return lines.map((line, i) => {
    try {
      return JSON.parse(line) as unknown;
    } catch {
      throw new NodeNotUsable(
        `The journal of the embedded chain is damaged at line ${i + 1} of ${path}${torn ? ' and its end is torn' : ''}.`,
      );
    }
  });
}

async function readOrNull(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
