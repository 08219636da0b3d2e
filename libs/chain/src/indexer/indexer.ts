import type { UnitOfWork } from '#persistence';
import { inSpan } from '#tracing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment, Deployments } from '../deployments/deployments.js';
import type { ChainNode } from '../node/chain-node.js';
import type { JsonRpc } from '../rpc/json-rpc.js';
import { RpcBehind } from '../rpc/rpc-errors.js';
import { BlockApplier, type IndexerTargets } from './block-applier.js';
import { BlockStream, BlockWindow } from './block-stream.js';
import { type BlockMark, type ChainEvent, type ChainLog, OtherChain, ReorgTooDeep } from './chain-event.js';
import {
  createCursor,
  CursorMoved,
  hasPendingCommand,
  markRebuilt,
  noteFault,
  readCursor,
  stopCursor,
  type StoredCursor,
} from './cursor.queries.js';
import type { IndexerCommand } from './indexer-commands.js';
import { type IndexerStatus, lineOf, stateAfter } from './indexer-status.js';
import { headerAt } from './read-blocks.js';
import { asSingleWriter } from './single-writer.js';

export interface IndexerParts {
  readonly unitOfWork: UnitOfWork;
  readonly rpc: JsonRpc;
  readonly node: ChainNode;
  readonly deployments: Deployments;
}

export interface IndexerOptions {
  readonly chainId: number;
  readonly confirmations: number;
  /** Default: by depth. */
  readonly finality?: 'depth' | 'finalized';
  readonly reorgWindow: number;
  readonly pollMs: number;
  readonly log?: (level: 'info' | 'warn' | 'error', line: string) => void;
}

const STANDBY_MS = 500;
const MAX_PAUSE_MS = 5_000;

/** Follows the chain and indexes it, with one writer per chain. It retries after every error and never throws. */
export class Indexer {
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private current: IndexerStatus = { state: 'starting', detail: null, head: null, final: null, nodeHead: null, lag: null };
  private failures = 0;
  private nextCommandCheck = 0;
  private endPause: (() => void) | null = null;

  constructor(
    private readonly parts: IndexerParts,
    private readonly options: IndexerOptions,
  ) {}

  get status(): IndexerStatus {
    return this.current;
  }

  start(targets: IndexerTargets): void {
    this.running = this.run(targets);
  }

  /** Polls the node now instead of at the next interval. */
  wake(): void {
    this.endPause?.();
  }

  /** Finishes the current event first. */
  async stop(): Promise<void> {
    this.ending.abort();
    this.wake();
    await this.running;
    this.report({ state: 'ended', detail: null });
  }

  private async run(targets: IndexerTargets): Promise<void> {
    while (!this.ending.signal.aborted) {
      try {
        const written = await asSingleWriter(this.parts.unitOfWork, this.options.chainId, (lost) => this.write(targets, lost));
        if (!written) this.report({ state: 'standby', detail: null });
        await this.pause(written ? 0 : STANDBY_MS);
      } catch (error) {
        await this.recoverFrom(error);
      }
    }
  }

  /** After an error, everything in memory is discarded and read from the database again: no half-done state survives. */
  private async recoverFrom(fault: unknown): Promise<void> {
    this.failures++;
    const [state, detail] = stateAfter(fault);
    // Stored before it is reported: an operator who sees the stop may send a command at once.
    if (fault instanceof ReorgTooDeep)
      await this.parts.unitOfWork.writeAsSystem((tx) => stopCursor(tx, this.options.chainId, fault.message)).catch(() => undefined);
    // For `cli chain status`, which runs in another process; the detail of a stop is there already.
    else if (detail !== null && detail !== this.current.detail) await this.store(detail);
    this.report({ state, detail });
    await this.pause(
      fault instanceof CursorMoved ? 0 : Math.min(MAX_PAUSE_MS, Math.max(this.options.pollMs, 50 * 2 ** Math.min(this.failures, 10))),
    );
  }

  /** A database that is away is a fault that cannot be stored. */
  private async store(fault: string | null): Promise<void> {
    await this.parts.unitOfWork.writeAsSystem((tx) => noteFault(tx, this.options.chainId, fault)).catch(() => undefined);
  }

  private async write(targets: IndexerTargets, lost: AbortSignal): Promise<void> {
    const deployment = await this.parts.deployments.deployment();
    if (!deployment) {
      this.report({ state: 'waiting_for_registry', detail: null });
      return this.pause(STANDBY_MS);
    }
    const applier = new BlockApplier(this.options.chainId, deployment.registry, targets, this.options.reorgWindow);
    const cursor = await this.cursorFrom(deployment, applier);
    if (cursor.marks.length === 0) return this.rebuild(applier, deployment);
    if (cursor.command) return this.execute(applier, cursor.command, deployment);
    if (cursor.stopped !== null) {
      this.report({ state: 'stopped', detail: cursor.stopped });
      return this.pause(STANDBY_MS);
    }
    await this.follow(applier, cursor, lost);
  }

  /** A cursor without blocks: the database was restored from a dump that left the indexed state out. */
  private async rebuild(applier: BlockApplier, deployment: Deployment): Promise<void> {
    this.options.log?.('warn', 'The database holds no indexed state; it was restored without it. The chain is indexed again.');
    await this.execute(applier, { kind: 'reindex' }, deployment);
  }

  /** In one transaction: readers see the old state, then nothing of it, then the chain as it is read again. */
  private async execute(applier: BlockApplier, command: IndexerCommand, deployment: Deployment): Promise<void> {
    const back = command.kind === 'reindex' ? deployment.fromBlock - 1 : command.backTo;
    const mark = back === null ? null : await this.blockBefore(back + 1);
    await this.parts.unitOfWork.asSystem((tx) => applier.goBack(tx, mark));
    this.report({ state: 'starting', detail: null, ...(mark && { head: mark.number, lag: null }) });
    this.options.log?.(
      'warn',
      mark === null
        ? "Indexing continues by an operator's command."
        : `Everything that was indexed after block ${mark.number} is undone and indexed again.`,
    );
  }

  private async follow(applier: BlockApplier, cursor: StoredCursor, lost: AbortSignal): Promise<void> {
    const { unitOfWork } = this.parts;
    const window = new BlockWindow(cursor.marks, this.options.reorgWindow);
    const stream = this.streamFrom(applier, cursor, window);
    let { final, rebuilding, fault } = cursor;
    while (!this.ending.signal.aborted && !lost.aborted) {
      const event = await this.nextEvent(stream);
      if (event !== null && event !== 'behind') {
        const { tip } = window;
        await this.persist(event);
        await this.withSpan(event, () => unitOfWork.asSystem((tx) => applier.apply(tx, event, tip)));
        stream.applied(event);
        if (event.kind === 'reorg') this.countReorg(tip.number - event.lastGood.number, event.lastGood.number);
        final = event.kind === 'final' ? event.number : event.kind === 'range' ? window.tip.number : Math.min(final, window.tip.number);
      }
      if (event !== 'behind') {
        this.failures = 0;
        if (fault !== null) await this.store((fault = null));
        this.reportPosition(window.tip, final, stream.nodeHead, event);
      }
      // Also while history is read and while the nodes lag: both can last for hours.
      if (await this.hasCommand()) return;
      if (event === null && rebuilding) {
        await unitOfWork.writeAsSystem((tx) => markRebuilt(tx, this.options.chainId));
        rebuilding = false;
      }
      if (event === null || event === 'behind') await this.pause(this.options.pollMs);
    }
  }

  private streamFrom(applier: BlockApplier, { final, genesisHash }: StoredCursor, window: BlockWindow): BlockStream {
    const { confirmations, finality } = this.options;
    const prefetch = (logs: readonly ChainLog[]): Promise<void> => applier.prefetch(logs);
    return new BlockStream(this.parts.rpc, window, final, { confirmations, finality, genesisHash, prefetch });
  }

  /** Each event starts its own trace, because many requests may have caused the logs of a block. Events without logs have no span. */
  private withSpan(event: ChainEvent, work: () => Promise<void>): Promise<void> {
    const logs = event.kind === 'block' || event.kind === 'range' ? event.logs.length : 0;
    if (logs === 0 && event.kind !== 'reorg') return work();
    const block = event.kind === 'block' ? event.mark : event.kind === 'range' ? event.marks.at(-1)! : null;
    const facts = {
      'traceability.chain.id': this.options.chainId,
      'traceability.logs': logs,
      ...(block && { 'traceability.block': block.number }),
    };
    return inSpan(`project ${event.kind}`, { kind: 'consumer', parent: null, facts }, work);
  }

  private countReorg(blocks: number, lastGood: number): void {
    this.parts.rpc.metrics.reorganised(blocks);
    this.options.log?.('warn', `The chain was reorganised: ${blocks} blocks are undone, back to block ${lastGood}.`);
  }

  /** Checked only at intervals: an operator can wait longer than a block. */
  private async hasCommand(): Promise<boolean> {
    if (Date.now() < this.nextCommandCheck) return false;
    this.nextCommandCheck = Date.now() + STANDBY_MS;
    return this.parts.unitOfWork.readAsSystem((tx) => hasPendingCommand(tx, this.options.chainId));
  }

  /** `behind`: every node lags. What is in memory is kept, because nothing was written and nothing has to be read again. */
  private async nextEvent(stream: BlockStream): Promise<ChainEvent | 'behind' | null> {
    try {
      return await stream.next();
    } catch (error) {
      if (!(error instanceof RpcBehind)) throw error;
      this.report({ state: 'node_behind', detail: error.message, nodeHead: stream.nodeHead });
      return 'behind';
    }
  }

  /** The effects of a block must not outlive the block itself. */
  private async persist(event: ChainEvent): Promise<void> {
    if (event.kind === 'block') await this.parts.node.persist(event.mark.hash);
    if (event.kind === 'range') await this.parts.node.persist(event.marks.at(-1)!.hash);
  }

  /**
   * The stored cursor, or a new one that starts at the registry's deployment. A database that was restored in part may hold
   * indexed rows without their cursor; they would conflict with the rows of their own blocks, so they are undone.
   */
  private async cursorFrom(deployment: Deployment, applier: BlockApplier): Promise<StoredCursor> {
    const { unitOfWork, rpc } = this.parts;
    const { chainId } = this.options;
    await rpc.learnHeaders();
    const genesis = await rpc.pinned((pinned) => headerAt(pinned, 0));
    if (!genesis) throw new RpcBehind('the node has no genesis block');
    const stored = await unitOfWork.asSystem((tx) => readCursor(tx, chainId));
    if (stored) {
      if (stored.genesisHash !== genesis.hash) throw new OtherChain(stored.genesisHash, genesis.hash);
      return stored;
    }
    const before = await this.blockBefore(deployment.fromBlock);
    await unitOfWork.asSystem(async (tx) => {
      await createCursor(tx, chainId, genesis.hash, before);
      await applier.undo(tx, before.number);
    });
    return { genesisHash: genesis.hash, final: -1, stopped: null, fault: null, rebuilding: false, command: null, marks: [before] };
  }

  private async blockBefore(number: number): Promise<BlockMark> {
    const block = await this.parts.rpc.pinned((rpc) => headerAt(rpc, Math.max(number - 1, 0)));
    if (!block) throw new RpcBehind(number === 0 ? 'the node has no genesis block' : `the node does not have block ${number - 1}`);
    return number === 0
      ? { number: -1, hash: block.parentHash, parentHash: block.parentHash }
      : { number: block.number, hash: block.hash, parentHash: block.parentHash };
  }

  private reportPosition(tip: BlockMark, final: number, nodeHead: number | null, event: ChainEvent | null): void {
    const lag = nodeHead === null ? null : Math.max(0, nodeHead - tip.number);
    this.parts.rpc.metrics.lags(lag);
    this.report({ state: event?.kind === 'range' ? 'catching_up' : 'following', detail: null, head: tip.number, final, nodeHead, lag });
  }

  private report(change: Partial<IndexerStatus>): void {
    const before = this.current;
    this.current = { ...before, ...change };
    const { state, detail } = this.current;
    if (before.state === state && before.detail === detail) return;
    this.options.log?.(...lineOf(this.current, before));
  }

  private async pause(ms: number): Promise<void> {
    if (ms === 0 || this.ending.signal.aborted) return;
    const woken = new Promise<void>((resolve) => {
      this.endPause = resolve;
    });
    const timeout = new AbortController();
    await Promise.race([sleep(ms, undefined, { signal: timeout.signal }).catch(() => undefined), woken]);
    timeout.abort();
    this.endPause = null;
  }
}
