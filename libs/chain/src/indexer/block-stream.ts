import { isRangeLimit, isRefused, type JsonRpc, type Rpc, RpcBehind, RpcUnreachable } from '../rpc/index.js';
import type { BlockWindow } from './block-window.js';
import { type BlockMark, type ChainStep, type FoundLog, type Header, OtherChain, ReorgTooDeep } from './chain-step.js';
import { completed, headerAt, headersAt, latestAndFinalized, logsOfBlock, logsOfRange } from './read-blocks.js';

export interface StreamOptions {
  readonly confirmations: number;
  /** `finalized`: by the node's tag; by depth all the same where the node has no usable one. */
  readonly finality?: 'depth' | 'finalized';
  readonly genesisHash: string;
  /** Told of the logs of a range that was fetched while the one before is being written; what it does meanwhile is waited for. */
  readonly lookAhead?: (logs: readonly FoundLog[]) => Promise<void>;
}

/** Behind by more final blocks than this, history is read in ranges. */
const RANGE_FROM = 8;
const MAX_RANGE = 20_000;
/**
 * Logs that a range is to hold, and how many are too many: then it is asked for again in less. What is written at once is in memory
 * several times over and survives collections there; it also is what one fetches while the range before is written.
 */
const RANGE_LOGS = 2_000;
const TOO_MANY_LOGS = 3 * RANGE_LOGS;
const FIRST_RANGE = 16;
/** So fast a range grows at most. */
const GROWTH = 4;

type RangeStep = Extract<ChainStep, { readonly kind: 'range' }>;

/**
 * The chain as a stream of steps. `next` looks at the node once and says what comes after the window's tip; whoever took
 * the step moves the window. A step is concluded from the answers of one endpoint only.
 */
export class BlockStream {
  /** Newest block that a node has shown. */
  nodeHead: number | null = null;
  /** What the node's `finalized` tag said last; null where it is not asked for or not usable. */
  private tagged: number | null = null;
  private range = FIRST_RANGE;
  /** What the node lately refused lies above; probed again little by little, for it may have been a passing weakness. */
  private widest = MAX_RANGE;
  private ahead: { readonly from: number; readonly step: Promise<RangeStep | null> } | null = null;

  constructor(
    private readonly rpc: JsonRpc,
    private readonly window: BlockWindow,
    private final: number,
    private readonly options: StreamOptions,
  ) {}

  /**
   * Null when there is nothing new.
   * @throws RpcBehind when all nodes lag, ReorgTooDeep, OtherChain, EngineUnavailable('chain')
   */
  async next(): Promise<ChainStep | null> {
    const final = Math.min(this.window.tip.number, this.finalAt(this.nodeHead ?? -1));
    if (final > this.final) return { kind: 'final', number: final };
    const ahead = this.takeAhead();
    const prepared = ahead && (await ahead);
    const step = prepared ?? (await this.rpc.pinned((rpc) => this.look(rpc)));
    if (step?.kind === 'range') this.startAhead(step.marks.at(-1)!);
    return step;
  }

  /** The step is committed. */
  took(step: ChainStep): void {
    switch (step.kind) {
      case 'block':
        return this.window.append([step.mark]);
      case 'range':
        this.final = step.marks.at(-1)!.number;
        return this.window.append(step.marks);
      case 'reorg':
        this.final = Math.min(this.final, step.lastGood.number);
        return this.window.rollBack(step.lastGood.number);
      case 'final':
        this.final = step.number;
    }
  }

  private finalAt(head: number): number {
    return this.tagged ?? head - this.options.confirmations + 1;
  }

  private async look(rpc: Rpc): Promise<ChainStep | null> {
    const { latest, finalized } =
      this.options.finality === 'finalized' ? await latestAndFinalized(rpc) : { latest: await headerAt(rpc, 'latest'), finalized: null };
    if (!latest) throw new RpcBehind('the node has no latest block');
    this.nodeHead = latest.number;
    this.tagged = finalized;
    const { tip } = this.window;
    if (latest.number <= tip.number) return this.lookBack(rpc, latest);
    const final = this.finalAt(latest.number);
    if (final - tip.number > RANGE_FROM) return this.readRange(rpc, tip, final, latest.number);
    const next = latest.number === tip.number + 1 ? latest : await headerAt(rpc, tip.number + 1);
    if (!next) throw new RpcBehind(`the node has not block ${tip.number + 1}`);
    if (next.parentHash !== tip.hash) return this.reorg(rpc);
    return { kind: 'block', mark: markOf(next), time: next.timestamp, logs: await logsOfBlock(rpc, next) };
  }

  /** The node's head is not ahead of ours: the same chain, a node that lags, or another branch. */
  private async lookBack(rpc: Rpc, latest: Header): Promise<ChainStep | null> {
    const ours = this.window.at(latest.number);
    if (ours && ours.hash !== latest.hash) return this.reorg(rpc);
    if (latest.number === this.window.tip.number) return null;
    if (!ours) await this.requireSameGenesis(rpc);
    throw new RpcBehind(`the node is ${this.window.tip.number - latest.number} blocks behind the projection`);
  }

  private async reorg(rpc: Rpc): Promise<ChainStep> {
    const marks = this.window.newestFirst();
    for (let from = 0, take = 16; from < marks.length; from += take, take *= 4) {
      const asked = marks.slice(from, from + take);
      const found = await headersAt(
        rpc,
        asked.map((mark) => Math.max(mark.number, 0)),
      );
      const lastGood = asked.find((mark, i) => sameBlock(mark, found[i] ?? null));
      if (lastGood) {
        // The tip itself is still there: the node showed two branches in one look, so it is not to be believed now.
        if (lastGood.number === this.window.tip.number) throw new RpcBehind('the node changed its chain while it was read');
        return { kind: 'reorg', lastGood };
      }
    }
    await this.requireSameGenesis(rpc);
    throw new ReorgTooDeep(this.window.size);
  }

  private async requireSameGenesis(rpc: Rpc): Promise<void> {
    const genesis = await headerAt(rpc, 0);
    if (!genesis) throw new RpcBehind('the node has no genesis block');
    if (genesis.hash !== this.options.genesisHash) throw new OtherChain(this.options.genesisHash, genesis.hash);
  }

  private async readRange(rpc: Rpc, tip: BlockMark, final: number, head: number): Promise<ChainStep> {
    const from = tip.number + 1;
    const to = Math.min(final, from + this.range - 1);
    const found = await logsOfRange(rpc, from, to).catch((error: unknown) => this.smaller(error));
    if (found.first.parentHash !== tip.hash) return this.reorg(rpc);
    this.adapt(found.logs.length, to - from + 1);
    if (found.logs.length > TOO_MANY_LOGS && to > from) return this.readRange(rpc, tip, final, head);
    const headers = await this.headersNear(rpc, from, found.last, head);
    const [marks, logs] = [headers.map(markOf), await completed(rpc, headers, found.logs)];
    return { kind: 'range', from, marks, time: found.last.timestamp, logs };
  }

  /** The next range is fetched while this one is written; only that one, or all of a history would soon be in memory. */
  private startAhead(tip: BlockMark): void {
    const head = this.nodeHead!;
    const final = this.finalAt(head);
    if (final - tip.number > RANGE_FROM) this.ahead = { from: tip.number + 1, step: this.readAhead(tip, final, head) };
  }

  /** Null when it did not work out: then it is simply done again. */
  private async readAhead(tip: BlockMark, final: number, head: number): Promise<RangeStep | null> {
    const step = await this.rpc.pinned((rpc) => this.readRange(rpc, tip, final, head)).catch(() => null);
    if (step?.kind !== 'range') return null;
    await this.options.lookAhead?.(step.logs).catch(() => undefined);
    return step;
  }

  private takeAhead(): Promise<RangeStep | null> | null {
    const { ahead } = this;
    this.ahead = null;
    return ahead?.from === this.window.tip.number + 1 ? ahead.step : null;
  }

  /** Only blocks that a reorg may still reach need to be recognised later. */
  private async headersNear(rpc: Rpc, from: number, last: Header, head: number): Promise<Header[]> {
    const first = Math.max(from, head - this.window.size + 1, last.number - this.window.size + 1);
    const numbers = Array.from({ length: Math.max(0, last.number - first) }, (_, i) => first + i);
    const headers = [...(await headersAt(rpc, numbers)), last];
    if (headers.some((header, i) => !header || (i > 0 && header.parentHash !== headers[i - 1]?.hash)))
      throw new RpcBehind('the chain changed while it was read');
    return headers as Header[];
  }

  /** A refusal or a timeout of a large range is answered with half of it. */
  private smaller(error: unknown): never {
    const tooLarge =
      (isRefused(error) && (isRangeLimit(error.message) || this.range > 1)) ||
      (error instanceof RpcUnreachable && error.reason === 'timeout');
    if (!tooLarge || this.range === 1) throw error;
    this.range = this.widest = Math.max(1, this.range >> 1);
    throw new RpcBehind(`a smaller range of ${this.range} blocks is tried`);
  }

  private adapt(logs: number, blocks: number): void {
    const fitting = Math.floor((blocks * RANGE_LOGS) / Math.max(1, logs));
    this.widest = Math.min(MAX_RANGE, this.widest + Math.ceil(this.widest / 32));
    this.range = Math.max(1, Math.min(fitting, this.range * GROWTH, this.widest));
  }
}

const markOf = ({ number, hash, parentHash }: Header): BlockMark => ({ number, hash, parentHash });
/** The mark before genesis has no block; genesis names it as its parent. */
const sameBlock = (mark: BlockMark, found: Header | null): boolean =>
  found !== null && (mark.number < 0 ? found.parentHash === mark.hash : found.hash === mark.hash);
