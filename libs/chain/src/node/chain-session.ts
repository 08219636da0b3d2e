import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AnvilProcess, freePort } from './anvil-process.js';
import { BLOCK_LOG, BlockLog } from './block-log.js';
import { ChainArchive } from './chain-archive.js';
import { NodeNotUsable } from './chain-node.js';
import { ChainState } from './chain-state.js';
import { logNewBlocks, replayBlocks } from './replay-blocks.js';
import { retireAnvil } from './retire-anvil.js';
import { mineAutomatically } from './stop-mining.js';
import { takeSnapshot } from './take-snapshot.js';

export interface AnvilNodeOptions {
  /** A folder below the data folder that nothing else uses. */
  readonly folder: string;
  readonly chainId: number;
  /** Null: any free one. */
  readonly port: number | null;
  /** Default true; tests of reorgs need the history. */
  readonly prune?: boolean;
  /** Blocks between two snapshots; default 1000. A smaller number makes starts after a kill faster. */
  readonly snapshotEvery?: number;
  /** Blocks that one anvil has in memory before it is replaced when nothing happens, at five times as many in any case; default 10,000. */
  readonly recycleFrom?: number;
  /** How often new blocks are logged when no block has to be persisted; default 250 ms. */
  readonly followMs?: number;
  readonly log?: (line: string) => void;
}

/** anvil keeps what it fetched: it is replaced after so many bytes, for instance after a reindex. */
const WORN_BYTES = 256 * 2 ** 20;
/** Snapshots' worth of blocks that one anvil mines again before it is replaced: it has them in memory. */
const REPLAY_AT_ONCE = 5;
export const SNAPSHOT_EVERY = 1_000;

/**
 * The files of the embedded chain, and how an anvil continues them. Every block ever mined is in the block log. The state after one of
 * them, the base, is in tables. anvil starts as a fork of the base and mines the blocks after it again.
 */
export class ChainSession {
  /** Tables from which the running anvil started. */
  private earlier: ChainState['entries'] = [];
  private reported = false;

  private constructor(
    private readonly options: AnvilNodeOptions,
    readonly log: BlockLog,
    private readonly state: ChainState,
    private readonly archive: ChainArchive,
  ) {}

  /** @throws NodeNotUsable when the files are of another chain */
  static async open(options: AnvilNodeOptions): Promise<ChainSession> {
    const { folder, chainId } = options;
    if (existsSync(join(folder, 'blocks.jsonl')))
      throw new NodeNotUsable(`The embedded chain in ${folder} was written by a development version: use another data folder.`);
    const log = await BlockLog.open(folder, chainId);
    if (log.writtenFor !== null && log.writtenFor !== chainId) {
      await log.close();
      throw new NodeNotUsable(
        `The embedded chain in ${folder} has the id ${log.writtenFor}, not ${chainId}: set CHAIN_ID, or use another data folder.`,
      );
    }
    const state = await ChainState.open(folder);
    if (state.damage) options.log?.(state.damage);
    await state.removeOthers();
    compareClock(log, (line) => options.log?.(line));
    return new ChainSession(options, log, state, await ChainArchive.open(chainId, log, state));
  }

  /** Of every anvil of this folder; they are known by it. */
  get cachePath(): string {
    return join(this.options.folder, 'cache');
  }

  /** The block from which the running anvil started. */
  get from(): number {
    return this.state.pinned;
  }

  /** Blocks after the last snapshot, which a start would have to mine again. */
  get pending(): number {
    return Math.max(0, (this.log.last?.number ?? 0) - this.state.base!.number);
  }

  /** Blocks that the running anvil has in memory. */
  get blocks(): number {
    return (this.log.last?.number ?? 0) - this.from;
  }

  get worn(): boolean {
    return this.archive.served > WORN_BYTES;
  }

  async logBlocks(anvil: AnvilProcess): Promise<void> {
    await logNewBlocks(anvil.rpc, this.log, this.from);
  }

  /** @returns what it accepted and did not mine */
  retire(anvil: AnvilProcess): Promise<readonly string[]> {
    return retireAnvil(anvil.rpc, () => logNewBlocks(anvil.rpc, this.log, this.from));
  }

  async snapshot(anvil: AnvilProcess): Promise<void> {
    const { rpc, url } = anvil;
    this.earlier = await takeSnapshot({ rpc, url, folder: this.options.folder, log: this.log, state: this.state, earlier: this.earlier });
  }

  /**
   * A node with every block of the log. When clients already know the port, the replay uses another one, because a transaction of a client
   * during the replay would change the blocks. It mines nothing before it has the state of the log, and what an earlier one accepted.
   * @param waiting transactions that were accepted and are not mined, raw
   */
  async start(port: number | null, waiting: readonly string[] = []): Promise<AnvilProcess> {
    const base = await this.findBase();
    const last = this.log.lastAfter(base);
    this.reportUnreadable(base, last);
    const to = Math.min(last, base + REPLAY_AT_ONCE * (this.options.snapshotEvery ?? SNAPSHOT_EVERY));
    if (to === last) this.log.endAt(last);
    else this.options.log?.(`The state of the embedded chain is made again from block ${base} to ${last}.`);
    const anvil = await this.fork(base, to > base ? null : port);
    try {
      await replayBlocks(anvil.rpc, this.log, base + 1, to);
      if (to === last && (last === base || port === null)) {
        // Refused where its sender has sent it again already.
        for (const raw of waiting) await anvil.rpc.call('eth_sendRawTransaction', [raw]).catch(() => undefined);
        await mineAutomatically(anvil.rpc);
        return anvil;
      }
      await this.snapshot(anvil);
      await anvil.kill();
      return await this.start(port, waiting);
    } catch (error) {
      await anvil.kill();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.archive.close();
    this.state.close();
    await this.log.close();
  }

  /** Number of the last block whose state is in the tables. */
  private async findBase(): Promise<number> {
    // A table fits if its block is in the log. If the log cannot say so, because it was cut, the table is all there is.
    this.state.keepWhile(({ upTo }) => (this.log.at(upTo.number)?.hash ?? upTo.hash) === upTo.hash);
    if (this.state.base === null) await this.makeGenesis();
    return this.state.base!.number;
  }

  /** Block 0 and its state, from an anvil of its own. Its time is in the log if there are blocks already. */
  private async makeGenesis(): Promise<void> {
    const { chainId, folder } = this.options;
    const known = this.log.read(0)?.block;
    if (!known && this.log.last)
      throw new NodeNotUsable(
        `Neither the first block of the embedded chain in ${folder} nor a state can be read: use a backup, or another data folder.`,
      );
    const genesisTimestamp = known ? Number(known.timestamp) : Math.floor(Date.now() / 1_000);
    const anvil = await AnvilProcess.start({ chainId, port: null, cachePath: this.cachePath, genesisTimestamp, prune: true });
    try {
      this.earlier = [];
      await this.snapshot(anvil);
    } finally {
      await anvil.kill();
    }
  }

  private async fork(block: number, port: number | null): Promise<AnvilProcess> {
    const { chainId, prune = true } = this.options;
    this.state.pinned = block;
    this.earlier = this.state.entries;
    this.archive.served = 0;
    const anvil = await AnvilProcess.start({
      chainId,
      port: port ?? (await freePort()),
      cachePath: this.cachePath,
      genesisTimestamp: 0,
      forkOf: { url: this.archive.url, block },
      // A payment to an account before it has its balance again would be lost, and its block could not be mined again.
      mines: false,
      prune,
    });
    try {
      await this.restoreBalances(anvil);
      return anvil;
    } catch (error) {
      await anvil.kill();
      throw error;
    }
  }

  /** anvil gives the accounts of its mnemonic their first balance again. */
  private async restoreBalances({ rpc }: AnvilProcess): Promise<void> {
    for (const account of await rpc.call<readonly string[]>('eth_accounts', [])) {
      const balance = this.state.value(account.slice(2).toLowerCase(), 'balance');
      if (balance) await rpc.call('anvil_setBalance', [account, `0x${balance}`]);
    }
  }

  private reportUnreadable(base: number, last: number): void {
    const { unreadable } = this.log;
    if (unreadable.length === 0 || this.reported) return;
    this.reported = true;
    const after = unreadable.some((number) => number > base) ? `The chain goes on after block ${last}.` : 'Its state is complete.';
    this.options.log?.(
      `${unreadable.length} blocks of the embedded chain cannot be read in ${join(this.options.folder, BLOCK_LOG)}, the first is ${unreadable[0]}. ${after}`,
    );
  }
}

const HOUR_MS = 3_600_000;

/** New blocks are as old as the newest one at least, so a clock that is right again, or wrong now, leaves times that nobody expects. */
function compareClock(log: BlockLog, say: (line: string) => void): void {
  const newest = log.last && log.read(log.last.number)?.block;
  const [block, now] = [Number(newest?.timestamp ?? 0) * 1_000, Date.now()];
  if (block < now + HOUR_MS) return;
  const [at, clock] = [new Date(block).toISOString(), new Date(now).toISOString()];
  say(
    `The newest block of the embedded chain is of ${at}, and the clock of this machine says ${clock}. Set the clock if it is wrong; new blocks have at least the time of the newest.`,
  );
}
