import { EngineUnavailable } from '#kernel';
import type { UnitOfWork } from '#persistence';
import { inSpan } from '#tracing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment, Deployments } from '../deployments.js';
import type { ChainNode } from '../node/index.js';
import { type JsonRpc, RpcBehind } from '../rpc/index.js';
import { BlockStream } from './block-stream.js';
import { BlockWindow } from './block-window.js';
import { type BlockMark, type ChainStep, type FoundLog, OtherChain, ReorgTooDeep, UnknownContract } from './chain-step.js';
import { createCursor, CursorMoved, isOrdered, madeAnew, readCursor, stopCursor, type StoredCursor } from './cursor.js';
import type { Order } from './orders.js';
import { asOnlyWriter } from './only-writer.js';
import { Projection, type Projectors } from './projection.js';
import { headerAt } from './read-blocks.js';

export type IndexerState =
  | 'starting'
  /** No registry is configured or recorded yet. */
  | 'waiting_for_registry'
  /** Another process writes; this one takes over when it ends. */
  | 'standby'
  /** Reading history. */
  | 'catching_up'
  /** At the head. */
  | 'following'
  /** Every node is behind what is projected already. */
  | 'node_behind'
  | 'chain_away'
  | 'database_away'
  /** A step failed; it is tried again. */
  | 'failing'
  /** An operator has to look: a reorg deeper than the window, another chain, or a contract of a later version. */
  | 'stopped'
  /** The process ends. */
  | 'ended';

export interface IndexerStatus {
  readonly state: IndexerState;
  /** A sentence for the operator; null when all is well. */
  readonly detail: string | null;
  /** Last projected block, last final one, and the node's newest; null before anything is known. */
  readonly head: number | null;
  readonly final: number | null;
  readonly nodeHead: number | null;
  /** Blocks between the node's head and the projection. */
  readonly lag: number | null;
}

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
const LONGEST_PAUSE_MS = 5_000;

/** Follows the chain and projects it, one writer per chain. It waits out every fault and never throws. */
export class Indexer {
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private current: IndexerStatus = { state: 'starting', detail: null, head: null, final: null, nodeHead: null, lag: null };
  private failures = 0;
  private askAgain = 0;
  private rouse: (() => void) | null = null;

  constructor(
    private readonly parts: IndexerParts,
    private readonly options: IndexerOptions,
  ) {}

  get status(): IndexerStatus {
    return this.current;
  }

  start(projectors: Projectors): void {
    this.running = this.run(projectors);
  }

  /** Look at the node now instead of at the next poll. */
  wake(): void {
    this.rouse?.();
  }

  /** Ends after the step in hand. */
  async stop(): Promise<void> {
    this.ending.abort();
    this.wake();
    await this.running;
    this.report({ state: 'ended', detail: null });
  }

  private async run(projectors: Projectors): Promise<void> {
    while (!this.ending.signal.aborted) {
      try {
        const written = await asOnlyWriter(this.parts.unitOfWork, this.options.chainId, (lost) => this.write(projectors, lost));
        if (!written) this.report({ state: 'standby', detail: null });
        await this.pause(written ? 0 : STANDBY_MS);
      } catch (error) {
        await this.wait(error);
      }
    }
  }

  /** Whatever goes wrong, what is in memory is thrown away and read again from the database: nothing half-done survives. */
  private async wait(fault: unknown): Promise<void> {
    this.failures++;
    const [state, detail] = faultOf(fault);
    // Stored before it is shown: whoever sees the stop may order what comes after it at once.
    if (fault instanceof ReorgTooDeep)
      await this.parts.unitOfWork.asSystem((tx) => stopCursor(tx, this.options.chainId, fault.message)).catch(() => undefined);
    this.report({ state, detail });
    await this.pause(
      fault instanceof CursorMoved ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(this.options.pollMs, 50 * 2 ** Math.min(this.failures, 10))),
    );
  }

  private async write(projectors: Projectors, lost: AbortSignal): Promise<void> {
    const deployment = await this.parts.deployments.deployment();
    if (!deployment) {
      this.report({ state: 'waiting_for_registry', detail: null });
      return this.pause(STANDBY_MS);
    }
    const projection = new Projection(this.options.chainId, deployment.registry, projectors, this.options.reorgWindow);
    const cursor = await this.cursorFrom(deployment, projection);
    if (cursor.marks.length === 0) return this.beginAnew(projection, deployment);
    if (cursor.order) return this.obey(projection, cursor.order, deployment);
    if (cursor.stopped !== null) {
      this.report({ state: 'stopped', detail: cursor.stopped });
      return this.pause(STANDBY_MS);
    }
    await this.follow(projection, cursor, lost);
  }

  /** A cursor and no blocks: the database comes from a dump that left the projection out. */
  private async beginAnew(projection: Projection, deployment: Deployment): Promise<void> {
    this.options.log?.('warn', 'The database holds no projection, as one that was restored without: the chain is projected anew.');
    await this.obey(projection, { kind: 'reindex' }, deployment);
  }

  /** In one transaction: readers see what was, then nothing of it, then the chain as it is read again. */
  private async obey(projection: Projection, order: Order, deployment: Deployment): Promise<void> {
    const back = order.kind === 'reindex' ? deployment.fromBlock - 1 : order.backTo;
    const at = back === null ? null : await this.blockBefore(back + 1);
    await this.parts.unitOfWork.asSystem((tx) => projection.goBack(tx, at));
    this.report({ state: 'starting', detail: null, ...(at && { head: at.number, lag: null }) });
    this.options.log?.(
      'warn',
      at === null
        ? 'An operator lets the projection go on.'
        : `What was projected after block ${at.number} is taken back and projected anew.`,
    );
  }

  private async follow(projection: Projection, cursor: StoredCursor, lost: AbortSignal): Promise<void> {
    const { reorgWindow, confirmations, finality } = this.options;
    const { unitOfWork, rpc } = this.parts;
    const window = new BlockWindow(cursor.marks, reorgWindow);
    const { genesisHash } = cursor;
    const lookAhead = (logs: readonly FoundLog[]): Promise<void> => projection.lookAhead(logs);
    const stream = new BlockStream(rpc, window, cursor.final, { confirmations, finality, genesisHash, lookAhead });
    let { final, anew } = cursor;
    while (!this.ending.signal.aborted && !lost.aborted) {
      const step = await this.look(stream);
      if (step !== null) {
        const { tip } = window;
        await this.secure(step);
        await this.traced(step, () => unitOfWork.asSystem((tx) => projection.take(tx, step, tip)));
        stream.took(step);
        if (step.kind === 'reorg') this.tookBack(tip.number - step.lastGood.number, step.lastGood.number);
        final = step.kind === 'final' ? step.number : step.kind === 'range' ? window.tip.number : Math.min(final, window.tip.number);
      }
      this.failures = 0;
      this.moved(window.tip, final, stream.nodeHead, step);
      if (step !== null) continue;
      if (anew) await unitOfWork.asSystem((tx) => madeAnew(tx, this.options.chainId));
      anew = false;
      if (await this.ordered()) return;
      await this.pause(this.options.pollMs);
    }
  }

  /** A trace of its own: many requests may have brought about what a block holds. Empty ones are none. */
  private traced(step: ChainStep, work: () => Promise<void>): Promise<void> {
    const logs = step.kind === 'block' || step.kind === 'range' ? step.logs.length : 0;
    if (logs === 0 && step.kind !== 'reorg') return work();
    const block = step.kind === 'block' ? step.mark : step.kind === 'range' ? step.marks.at(-1)! : null;
    const facts = {
      'traceability.chain.id': this.options.chainId,
      'traceability.logs': logs,
      ...(block && { 'traceability.block': block.number }),
    };
    return inSpan(`project ${step.kind}`, { kind: 'consumer', parent: null, facts }, work);
  }

  private tookBack(blocks: number, lastGood: number): void {
    this.parts.rpc.metrics.reorganised(blocks);
    this.options.log?.('warn', `The chain was reorganised: ${blocks} blocks are taken back, down to ${lastGood}.`);
  }

  /** Asked once in a while only: an operator waits longer than a block does. */
  private async ordered(): Promise<boolean> {
    if (Date.now() < this.askAgain) return false;
    this.askAgain = Date.now() + STANDBY_MS;
    return this.parts.unitOfWork.asSystem((tx) => isOrdered(tx, this.options.chainId));
  }

  /** A node that lags is waited for with what is in memory: nothing was written, so nothing has to be read again. */
  private async look(stream: BlockStream): Promise<ChainStep | null> {
    for (;;) {
      try {
        return await stream.next();
      } catch (error) {
        if (!(error instanceof RpcBehind) || this.ending.signal.aborted) throw error;
        this.report({ state: 'node_behind', detail: error.message, nodeHead: stream.nodeHead });
        await this.pause(this.options.pollMs);
        if (this.ending.signal.aborted) return null;
      }
    }
  }

  /** Effects must not outlive their block. */
  private async secure(step: ChainStep): Promise<void> {
    if (step.kind === 'block') await this.parts.node.secure(step.mark.hash);
    if (step.kind === 'range') await this.parts.node.secure(step.marks.at(-1)!.hash);
  }

  /**
   * The stored one, or a new one that begins at the registry's deployment. A database that was restored in part may hold rows of a
   * projection whose cursor it has not: they would stand in the way of their own blocks.
   */
  private async cursorFrom(deployment: Deployment, projection: Projection): Promise<StoredCursor> {
    const { unitOfWork, rpc } = this.parts;
    const { chainId } = this.options;
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
      await projection.undo(tx, before.number);
    });
    return { genesisHash: genesis.hash, final: -1, stopped: null, anew: false, order: null, marks: [before] };
  }

  private async blockBefore(number: number): Promise<BlockMark> {
    if (number === 0) {
      const genesis = await this.parts.rpc.pinned((rpc) => headerAt(rpc, 0));
      if (!genesis) throw new RpcBehind('the node has no genesis block');
      return { number: -1, hash: genesis.parentHash, parentHash: genesis.parentHash };
    }
    const block = await this.parts.rpc.pinned((rpc) => headerAt(rpc, number - 1));
    if (!block) throw new RpcBehind(`the node has not block ${number - 1}`);
    return { number: block.number, hash: block.hash, parentHash: block.parentHash };
  }

  private moved(tip: BlockMark, final: number, nodeHead: number | null, step: ChainStep | null): void {
    const lag = nodeHead === null ? null : Math.max(0, nodeHead - tip.number);
    this.parts.rpc.metrics.lags(lag);
    this.report({ state: step?.kind === 'range' ? 'catching_up' : 'following', detail: null, head: tip.number, final, nodeHead, lag });
  }

  private report(change: Partial<IndexerStatus>): void {
    const before = this.current;
    this.current = { ...before, ...change };
    if (before.state === this.current.state && before.detail === this.current.detail) return;
    const bad = !['following', 'catching_up', 'standby', 'waiting_for_registry', 'ended'].includes(this.current.state);
    this.options.log?.(
      bad ? 'warn' : 'info',
      `The indexer is ${this.current.state.replaceAll('_', ' ')}${this.current.detail ? `: ${this.current.detail}` : ''}`,
    );
  }

  private async pause(ms: number): Promise<void> {
    if (ms === 0 || this.ending.signal.aborted) return;
    const roused = new Promise<void>((resolve) => {
      this.rouse = resolve;
    });
    const timeout = new AbortController();
    await Promise.race([sleep(ms, undefined, { signal: timeout.signal }).catch(() => undefined), roused]);
    timeout.abort();
    this.rouse = null;
  }
}

function faultOf(error: unknown): [IndexerState, string | null] {
  if (error instanceof CursorMoved) return ['starting', null];
  if (error instanceof ReorgTooDeep || error instanceof OtherChain || error instanceof UnknownContract) return ['stopped', error.message];
  if (error instanceof RpcBehind) return ['node_behind', error.message];
  if (error instanceof EngineUnavailable) {
    const cause = error.cause instanceof Error ? error.cause.message : null;
    return [error.engine === 'database' ? 'database_away' : error.engine === 'chain' ? 'chain_away' : 'failing', cause];
  }
  return ['failing', error instanceof Error ? error.message : String(error)];
}
