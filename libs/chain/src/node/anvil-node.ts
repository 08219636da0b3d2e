import { EngineUnavailable } from '#kernel';
import { copyFile, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { JsonRpc } from '../rpc/index.js';
import { NodeNotUsable } from './anvil-binary.js';
import { type AnvilOptions, AnvilProcess, freePort } from './anvil-process.js';
import { ChainJournal } from './chain-journal.js';
import { ChainNode, type ChainNodeState } from './chain-node.js';
import { replaceFile } from './durable-file.js';
import { journalNewBlocks } from './journal-blocks.js';
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.js';
import { replayBlocks } from './replay-blocks.js';

export interface AnvilNodeOptions {
  /** Folder of its own below the data folder. */
  readonly folder: string;
  readonly chainId: number;
  /** Null: any free one. */
  readonly port: number | null;
  /** Default true; tests of reorgs need the history. */
  readonly prune?: boolean;
  /** Blocks between two snapshots while it runs; default 1000. Fewer make starts quicker and mining jerkier. */
  readonly snapshotEvery?: number;
  /** How often new blocks are looked for when nobody asks for one to be secured; default 250 ms. */
  readonly followMs?: number;
  readonly log?: (line: string) => void;
}

interface RunFile {
  readonly anvil: ProcessIdentity;
  readonly owner: ProcessIdentity;
  readonly port: number;
}

/**
 * The embedded EVM node: anvil as a child, a snapshot and a journal of the blocks after it. anvil's own state file can be
 * behind or empty after a kill (chain.md §1), so it is not used.
 */
export class AnvilNode extends ChainNode {
  override readonly kind = 'embedded';
  override readonly urls: readonly string[];
  private closing = false;
  private fault: string | null = null;
  private readonly stop = new AbortController();
  private work: Promise<unknown> = Promise.resolve();
  private following: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: AnvilNodeOptions,
    private readonly journal: ChainJournal,
    private anvil: AnvilProcess,
  ) {
    super();
    this.urls = [anvil.url];
  }

  /** @throws NodeNotUsable with a sentence for the operator */
  static async open(given: AnvilNodeOptions): Promise<AnvilNode> {
    const options = { ...given, folder: resolve(given.folder) };
    await mkdir(options.folder, { recursive: true });
    const orphan = await refuseSecondOwner(options.folder);
    const journal = await ChainJournal.open(options.folder, { chainId: options.chainId, timestamp: Math.floor(Date.now() / 1_000) });
    try {
      if (orphan) await takeOver(orphan, journal, options);
      const node = new AnvilNode(options, journal, await start(options, journal, options.port));
      await node.announce();
      node.following = node.follow();
      return node;
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  override async secure(blockHash: string): Promise<void> {
    const { last } = this.journal;
    if (last?.hash === blockHash) return;
    await this.alone(() => this.writeDown());
  }

  override async state(): Promise<ChainNodeState> {
    return this.fault === null ? { state: 'up', detail: null } : { state: 'down', detail: this.fault };
  }

  override async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    this.stop.abort();
    await this.following;
    await this.alone(async () => {
      if (this.anvil.running) {
        await this.writeDown();
        if (this.journal.length > 0) await this.snapshot();
      }
    }).catch((error: Error) => this.say(`The last snapshot was not taken, the journal has its blocks: ${error.message}`));
    await this.anvil.kill();
    await this.journal.close();
    await rm(join(this.options.folder, RUN_FILE), { force: true });
  }

  /** For tests: the process number of the child as it is now. */
  get pid(): number {
    return this.anvil.pid;
  }

  /** Writes new blocks down, restarts a child that died, takes snapshots. Ends with `close`. */
  private async follow(): Promise<void> {
    while (!this.closing) {
      try {
        await Promise.race([sleep(this.options.followMs ?? 250, undefined, { signal: this.stop.signal, ref: false }), this.anvil.ended]);
        if (this.closing) return;
        await this.alone(() => this.tend());
        this.fault = null;
      } catch (error) {
        if (this.closing) return;
        this.fault = (error as Error).message;
        this.say(`The embedded EVM node: ${this.fault}`);
        await sleep(500, undefined, { signal: this.stop.signal }).catch(() => undefined);
      }
    }
  }

  private async tend(): Promise<void> {
    if (!this.anvil.running) {
      this.say('The embedded EVM node died; it starts again from its journal.');
      this.fault = 'The embedded EVM node is starting again.';
      this.anvil = await start(this.options, this.journal, this.anvil.port);
      await this.announce();
    }
    await this.writeDown();
    if (this.journal.length >= (this.options.snapshotEvery ?? 1_000)) await this.snapshot();
  }

  private async writeDown(): Promise<void> {
    if (!this.anvil.running) throw new EngineUnavailable('chain', new Error('the embedded node is starting again'));
    const belowJournal = !(await journalNewBlocks(this.anvil.rpc, this.journal));
    if (belowJournal) await this.snapshot();
  }

  private async snapshot(): Promise<void> {
    await snapshot(this.anvil, this.journal, this.options.folder);
  }

  private async announce(): Promise<void> {
    const owner = identityOf(process.pid)!;
    const anvil = identityOf(this.anvil.pid);
    if (anvil)
      await replaceFile(join(this.options.folder, RUN_FILE), JSON.stringify({ anvil, owner, port: this.anvil.port } satisfies RunFile));
  }

  private say(line: string): void {
    this.options.log?.(line);
  }

  /** Journal and snapshot are written by one piece of work at a time. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.work.then(work);
    this.work = turn.catch(() => undefined);
    return turn;
  }
}

const RUN_FILE = 'anvil.json';
const SNAPSHOT = 'state.json';
const EARLIER_SNAPSHOT = 'state.old.json';

/** The anvil that a killed service left behind, or null. @throws NodeNotUsable while another service owns the folder */
async function refuseSecondOwner(folder: string): Promise<RunFile | null> {
  const text = await readFile(join(folder, RUN_FILE), 'utf8').catch(() => null);
  const run = text === null ? null : (JSON.parse(text) as RunFile);
  if (!run) return null;
  if (run.owner.pid !== process.pid && isRunning(run.owner))
    throw new NodeNotUsable(
      `The embedded chain in ${folder} belongs to the running process ${run.owner.pid}: stop it, or use another data folder.`,
    );
  return isRunning(run.anvil) ? run : null;
}

/** Saves what an orphan mined after its service died, then ends it. */
async function takeOver(orphan: RunFile, journal: ChainJournal, options: AnvilNodeOptions): Promise<void> {
  options.log?.(`An EVM node of an earlier run (process ${orphan.anvil.pid}) is still there: its blocks are kept and it is ended.`);
  const rpc = new JsonRpc({ urls: [`http://127.0.0.1:${orphan.port}`], timeoutMs: 10_000, rounds: 1 });
  await journalNewBlocks(rpc, journal).catch((error: Error) => options.log?.(`Its last blocks could not be read: ${error.message}`));
  process.kill(orphan.anvil.pid, 'SIGKILL');
  while (isRunning(orphan.anvil)) await sleep(10);
}

/**
 * A node with every block of the snapshot and the journal. Where clients already know the port, the replay happens on
 * another one, because a transaction of theirs in the middle of it would change the blocks.
 */
async function start(options: AnvilNodeOptions, journal: ChainJournal, port: number | null): Promise<AnvilProcess> {
  const anvil = await startAt(options, journal, journal.length > 0 ? null : port);
  try {
    const replayed = await replayBlocks(anvil.rpc, journal);
    if (replayed > 0 && port !== null) {
      await snapshot(anvil, journal, options.folder);
      await anvil.kill();
      return await start(options, journal, port);
    }
    return anvil;
  } catch (error) {
    await anvil.kill();
    throw error;
  }
}

async function startAt(options: AnvilNodeOptions, journal: ChainJournal, port: number | null): Promise<AnvilProcess> {
  const from = async (name: string | null): Promise<AnvilProcess> => AnvilProcess.start(await anvilOptions(options, journal, port, name));
  if (!(await exists(join(options.folder, SNAPSHOT)))) return from(null);
  return from(SNAPSHOT).catch(async (error: unknown) => {
    if (!/snapshot/.test((error as Error).message) || !(await exists(join(options.folder, EARLIER_SNAPSHOT)))) throw error;
    options.log?.('The last snapshot of the embedded chain cannot be read; the one before and the journal are used.');
    return from(EARLIER_SNAPSHOT);
  });
}

async function anvilOptions(
  options: AnvilNodeOptions,
  journal: ChainJournal,
  port: number | null,
  snapshotName: string | null,
): Promise<AnvilOptions> {
  return {
    chainId: options.chainId,
    port: port ?? (await freePort()),
    cachePath: join(options.folder, 'cache'),
    genesisTimestamp: journal.genesis.timestamp,
    loadState: snapshotName && join(options.folder, snapshotName),
    prune: options.prune ?? true,
  };
}

async function snapshot(anvil: AnvilProcess, journal: ChainJournal, folder: string): Promise<void> {
  // Read before the dump: the dump may hold later blocks too, which the journal then keeps needlessly but harmlessly.
  const head = await anvil.rpc.call<{ readonly number: string; readonly hash: string }>('eth_getBlockByNumber', ['latest', false]);
  const dump = await anvil.rpc.call<string>('anvil_dumpState', []);
  const json = await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'));
  const path = join(folder, SNAPSHOT);
  if (await exists(path)) await copyFile(path, join(folder, EARLIER_SNAPSHOT));
  await replaceFile(path, json);
  await journal.rebase({ number: Number(head.number), hash: head.hash });
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.size > 0,
    () => false,
  );
