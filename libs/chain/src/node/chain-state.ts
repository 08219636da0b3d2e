import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './append-file.js';
import type { BlockId, RpcBlock } from './block-log.js';
import { type Field, keyOf, StateTable } from './state-table.js';

/** A table, and the last block whose effects are in it or in an earlier one. */
export interface TableEntry {
  readonly file: string;
  readonly upTo: BlockId;
  /** The same block as JSON-RPC shows it, should it become unreadable in the log. */
  readonly block: RpcBlock;
}

const MANIFEST = 'tables.json';
const TABLE = /^state-.*\.table$/;

/**
 * The state of all accounts after a block: tables in which a later one replaces values of the earlier ones. It is made from the blocks, so
 * a damaged table costs time and no data: the state ends before it, and the blocks after that are mined again.
 */
export class ChainState {
  /** Values are those after this block, also when there are newer tables. */
  pinned = 0;

  private constructor(
    private readonly folder: string,
    private tables: readonly { readonly entry: TableEntry; readonly table: StateTable }[],
    /** A sentence for the operator when a part could not be read; else null. */
    readonly damage: string | null,
  ) {}

  static async open(folder: string): Promise<ChainState> {
    const named = await readManifest(folder);
    const tables = [];
    for (const entry of named ?? []) {
      const table = StateTable.open(join(folder, entry.file));
      if (!table) break;
      tables.push({ entry, table });
    }
    const whole = named !== null && tables.length === named.length;
    return new ChainState(
      folder,
      tables,
      whole ? null : 'A part of the state of the embedded chain cannot be read; it is made again from the blocks.',
    );
  }

  get entries(): readonly TableEntry[] {
    return this.tables.map(({ entry }) => entry);
  }

  /** The last block whose effects are here; null before there is any. */
  get base(): BlockId | null {
    return this.tables.at(-1)?.entry.upTo ?? null;
  }

  /** 32 bytes in hex without 0x; null when nothing is known of it, which means zero. */
  value(address: string, field: Field, slot?: string): string | null {
    const key = keyOf(address, field, slot);
    for (const { entry, table } of this.tables.toReversed()) {
      const value = entry.upTo.number <= this.pinned ? table.find(key) : null;
      if (value) return value.toString('hex');
    }
    return null;
  }

  code(address: string): string {
    const hash = this.value(address, 'code');
    return (hash && this.tables.find(({ table }) => hash in table.codes)?.table.codes[hash]) ?? '0x';
  }

  /** Replaces the tables by these, and removes the files of the others. */
  async adopt(entries: readonly TableEntry[]): Promise<void> {
    const opened = entries.map((entry) => ({ entry, table: StateTable.open(join(this.folder, entry.file)) }));
    const tables = opened.filter((one): one is { entry: TableEntry; table: StateTable } => one.table !== null);
    if (tables.length < entries.length) throw new Error('a new table of the state cannot be read');
    await replaceFile(join(this.folder, MANIFEST), JSON.stringify(entries));
    this.close();
    this.tables = tables;
    await this.removeOthers().catch(() => undefined);
  }

  /** Files of interrupted work, and of tables that were replaced. */
  async removeOthers(): Promise<void> {
    const used = new Set(this.entries.map(({ file }) => file));
    for (const name of await readdir(this.folder))
      if (TABLE.test(name) && !used.has(name)) await rm(join(this.folder, name), { force: true });
  }

  /** Forgets the tables from the first one that `fits` does not accept. */
  keepWhile(fits: (entry: TableEntry) => boolean): void {
    const end = this.tables.findIndex(({ entry }) => !fits(entry));
    if (end < 0) return;
    for (const { table } of this.tables.slice(end)) table.close();
    this.tables = this.tables.slice(0, end);
  }

  blockAt(number: number): RpcBlock | null {
    return this.entries.find(({ upTo }) => upTo.number === number)?.block ?? null;
  }

  close(): void {
    for (const { table } of this.tables) table.close();
    this.tables = [];
  }
}

/** Empty when there is none yet, null when it is damaged. */
async function readManifest(folder: string): Promise<readonly TableEntry[] | null> {
  try {
    const entries = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as unknown;
    return Array.isArray(entries) ? (entries as TableEntry[]) : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : null;
  }
}
