import { EngineUnavailable } from '#kernel';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnvilProcess, identityOf } from './anvil-process.js';
import { replaceFile } from './append-file.js';
import { ChainNode, type ChainNodeState } from './chain-node.js';
import { type AnvilNodeOptions, ChainSession, SNAPSHOT_EVERY } from './chain-session.js';
import { orphanIn, RUN_FILE, type RunFile, straysWith, takeOver } from './run-file.js';

export type { AnvilNodeOptions } from './chain-session.js';

const RECYCLE_FROM = 10_000;
/** So many times as many blocks are the most, however busy the chain is. */
const RECYCLE_LATEST = 5;
const QUIET_MS = 5_000;

/** The embedded EVM node: anvil as a child process. Its blocks and its state are in files of the service's own. */
export class AnvilNode extends ChainNode {
  override readonly kind = 'embedded';
  override readonly urls: readonly string[];
  private closing = false;
  private fault: string | null = null;
  private readonly stop = new AbortController();
  private work: Promise<unknown> = Promise.resolve();
  private following: Promise<void> = Promise.resolve();
  /** Transactions that an anvil accepted and did not mine before it was replaced. */
  private readonly waiting: string[] = [];
  private quietSince = Date.now();

  private constructor(
    private readonly options: AnvilNodeOptions,
    private readonly session: ChainSession,
    private anvil: AnvilProcess,
  ) {
    super();
    this.urls = [anvil.url];
  }

  /** @throws NodeNotUsable with a sentence for the operator */
  static async open(given: AnvilNodeOptions): Promise<AnvilNode> {
    const options = { ...given, folder: resolve(given.folder) };
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    // One of an earlier version may be open to others.
    await chmod(options.folder, 0o700);
    const orphan = await orphanIn(options.folder);
    const session = await ChainSession.open(options);
    let anvil: AnvilProcess | null = null;
    try {
      const said = (line: string): void => options.log?.(line);
      if (orphan) await takeOver(orphan, session.log, said);
      for (const stray of straysWith(session.cachePath)) await takeOver(stray, session.log, said);
      anvil = await session.start(options.port);
      const node = new AnvilNode(options, session, anvil);
      await node.writeRunFile();
      node.following = node.follow();
      return node;
    } catch (error) {
      // On a full disk the run file cannot be written, and without it no later start finds the child.
      await anvil?.kill();
      await session.close();
      throw error;
    }
  }

  override async persist(blockHash: string): Promise<void> {
    if (this.session.log.last?.hash === blockHash) return;
    try {
      await this.exclusively(() => this.logBlocks());
    } catch (error) {
      throw error instanceof EngineUnavailable ? error : new EngineUnavailable('chain', error);
    }
  }

  override async state(): Promise<ChainNodeState> {
    return this.fault === null ? { state: 'up', detail: null } : { state: 'down', detail: this.fault };
  }

  override async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    this.stop.abort();
    await this.following;
    await this.exclusively(async () => {
      if (this.anvil.running) {
        await this.logBlocks();
        if (this.session.pending > 0) await this.session.snapshot(this.anvil);
        await this.session.retire(this.anvil);
      }
    }).catch((error: Error) => this.log(`The last snapshot failed; the block log has its blocks: ${error.message}`));
    await this.anvil.kill();
    await this.session.close();
    await rm(join(this.options.folder, RUN_FILE), { force: true });
  }

  /** Whether the child is being replaced: a new one may answer before it has the newest blocks and what the last one accepted. */
  get isRestarting(): boolean {
    return !this.anvil.running;
  }

  /** For tests: the current process id of the child. */
  get pid(): number {
    return this.anvil.pid;
  }

  /** Logs new blocks, restarts a child that died, takes snapshots. Ends with `close`. */
  private async follow(): Promise<void> {
    while (!this.closing) {
      try {
        await Promise.race([sleep(this.options.followMs ?? 250, undefined, { signal: this.stop.signal, ref: false }), this.anvil.ended]);
        if (this.closing) return;
        await this.exclusively(() => this.maintain());
        this.fault = null;
      } catch (error) {
        if (this.closing) return;
        this.report(sentenceFor(error as NodeJS.ErrnoException, this.options.folder));
        await sleep(500, undefined, { signal: this.stop.signal }).catch(() => undefined);
      }
    }
  }

  /** Once, however long it lasts. */
  private report(fault: string): void {
    if (fault !== this.fault) this.log(`The embedded EVM node: ${fault}`);
    this.fault = fault;
  }

  private async maintain(): Promise<void> {
    if (!this.anvil.running) {
      this.report('It died and is restarted from its block log.');
      await this.restart();
    }
    await this.logBlocks();
    const { session, options } = this;
    // Without history no reorg is possible. With it, the state of a snapshot could be that of blocks that disappear.
    if (options.prune === false) return;
    const from = options.recycleFrom ?? RECYCLE_FROM;
    const recycle = session.worn || (session.blocks >= from && (this.isQuiet() || session.blocks >= from * RECYCLE_LATEST));
    if (session.pending >= (options.snapshotEvery ?? SNAPSHOT_EVERY) || (recycle && session.pending > 0))
      await session.snapshot(this.anvil);
    if (recycle) await this.recycle();
  }

  private async recycle(): Promise<void> {
    this.waiting.push(...(await this.session.retire(this.anvil)));
    await this.anvil.kill();
    await this.restart();
  }

  private isQuiet(): boolean {
    return Date.now() - this.quietSince > QUIET_MS;
  }

  private async restart(): Promise<void> {
    this.anvil = await this.session.start(this.anvil.port, this.waiting);
    this.waiting.length = 0;
    await this.writeRunFile();
  }

  private async logBlocks(): Promise<void> {
    if (!this.anvil.running) throw new EngineUnavailable('chain', new Error('the embedded node is restarting'));
    const before = this.session.log.last?.number;
    await this.session.logBlocks(this.anvil);
    if (this.session.log.last?.number !== before) this.quietSince = Date.now();
  }

  private async writeRunFile(): Promise<void> {
    const owner = identityOf(process.pid)!;
    const anvil = identityOf(this.anvil.pid);
    const run = anvil && ({ anvil, owner, port: this.anvil.port, from: this.session.from } satisfies RunFile);
    if (run) await replaceFile(join(this.options.folder, RUN_FILE), JSON.stringify(run));
  }

  private log(line: string): void {
    this.options.log?.(line);
  }

  /** Block log and snapshot are written by one operation at a time. */
  private exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.work.then(work);
    this.work = result.catch(() => undefined);
    return result;
  }
}

function sentenceFor({ code, message }: NodeJS.ErrnoException, folder: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `There is no space left for the blocks of the embedded chain in ${folder}. Free some; it continues by itself.`;
  return message;
}
