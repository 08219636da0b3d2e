import { isRefused, type JsonRpc, type Rpc } from '../rpc/json-rpc.js';
import { RpcBehind, RpcLie, RpcUnreachable } from '../rpc/rpc-errors.js';
import { type BlockMark, type ChainEvent, type ChainLog, type Header, OtherChain, ReorgTooDeep } from './chain-event.js';
import { completeLogs, headerAt, headersAt, latestAndFinalized, logsOfBlock, logsOfRange } from './read-blocks.js';

export interface StreamOptions {
  readonly confirmations: number;
  /** `finalized`: by the node's tag, or by depth when the node has no usable tag. */
  readonly finality?: 'depth' | 'finalized';
  readonly genesisHash: string;
  /** Called with the logs of a range that was fetched ahead, while the previous range is written. The stream waits for it. */
  readonly prefetch?: (logs: readonly ChainLog[]) => Promise<void>;
}

/** More final blocks behind than this: history is read in ranges. */
const RANGE_FROM = 8;
const MAX_RANGE = 20_000;
/**
 * Target number of logs in a range, and the maximum: a range with more is requested again in smaller parts. Logs that are written at
 * once are in memory several times, and the next range is in memory too.
 */
const RANGE_LOGS = 2_000;
const TOO_MANY_LOGS = 3 * RANGE_LOGS;
const FIRST_RANGE = 16;
/** Maximum growth of a range from one request to the next. */
const GROWTH = 4;

type RangeEvent = Extract<ChainEvent, { readonly kind: 'range' }>;

/**
 * The chain as a stream of events. `next` polls the node once and returns what follows the window's tip; after the event is committed,
 * `applied` moves the window. Each event is derived from the answers of one endpoint only.
 */
export class BlockStream {
  /** Newest block that a node reported. */
  nodeHead: number | null = null;
  /** Last value of the node's `finalized` tag; null when it is not requested or not usable. */
  private taggedFinal: number | null = null;
  private range = FIRST_RANGE;
  /** Null after the start and after a reorg. */
  private tipTime: Date | null = null;
  /** The node recently refused larger ranges. Raised again little by little, because the problem may have been temporary. */
  private maxRange = MAX_RANGE;
  private ahead: { readonly from: number; readonly event: Promise<RangeEvent | null> } | null = null;

  constructor(
    private readonly rpc: JsonRpc,
    private readonly window: BlockWindow,
    private final: number,
    private readonly options: StreamOptions,
  ) {}

  /**
   * Null when nothing has changed.
   * @throws RpcBehind when all nodes lag, ReorgTooDeep, OtherChain, EngineUnavailable('chain')
   */
  async next(): Promise<ChainEvent | null> {
    const final = Math.min(this.window.tip.number, this.finalAt(this.nodeHead ?? -1));
    if (final > this.final) return { kind: 'final', number: final };
    const ahead = this.fetchedAhead();
    const prepared = ahead && (await ahead);
    const event = prepared ?? (await this.rpc.pinned((rpc) => this.poll(rpc)));
    if (event?.kind === 'range') this.fetchAhead(event.marks.at(-1)!);
    return event;
  }

  /** The event is committed. */
  applied(event: ChainEvent): void {
    switch (event.kind) {
      case 'block':
        this.tipTime = event.time;
        return this.window.append([event.mark]);
      case 'range':
        this.tipTime = event.time;
        this.final = event.marks.at(-1)!.number;
        return this.window.append(event.marks);
      case 'reorg':
        this.tipTime = null;
        this.final = Math.min(this.final, event.lastGood.number);
        return this.window.rollBack(event.lastGood.number);
      case 'final':
        this.final = event.number;
    }
  }

  private finalAt(head: number): number {
    return this.taggedFinal ?? head - this.options.confirmations + 1;
  }

  private async poll(rpc: Rpc): Promise<ChainEvent | null> {
    const { latest, finalized } =
      this.options.finality === 'finalized' ? await latestAndFinalized(rpc) : { latest: await headerAt(rpc, 'latest'), finalized: null };
    if (!latest) throw new RpcBehind('the node has no latest block');
    this.nodeHead = latest.number;
    this.taggedFinal = finalized;
    const { tip } = this.window;
    if (latest.number <= tip.number) return this.compareWithWindow(rpc, latest);
    const final = this.finalAt(latest.number);
    if (final - tip.number > RANGE_FROM) return this.readRange(rpc, tip, final, latest.number);
    const next = latest.number === tip.number + 1 ? latest : await headerAt(rpc, tip.number + 1);
    if (!next) throw new RpcBehind(`the node does not have block ${tip.number + 1}`);
    if (next.parentHash !== tip.hash) return this.reorg(rpc);
    await this.requireLater(rpc, next);
    return { kind: 'block', mark: markOf(next), time: next.timestamp, logs: await logsOfBlock(rpc, next) };
  }

  /** The node's head is not ahead of ours: the same chain, a node that lags, or another branch. */
  private async compareWithWindow(rpc: Rpc, latest: Header): Promise<ChainEvent | null> {
    const ours = this.window.at(latest.number);
    if (ours && ours.hash !== latest.hash) return this.reorg(rpc);
    if (latest.number === this.window.tip.number) return null;
    if (!ours) await this.requireSameGenesis(rpc);
    throw new RpcBehind(`the node is ${this.window.tip.number - latest.number} blocks behind the index`);
  }

  private async reorg(rpc: Rpc): Promise<ChainEvent> {
    const marks = this.window.newestFirst();
    for (let from = 0, count = 16; from < marks.length; from += count, count *= 4) {
      const requested = marks.slice(from, from + count);
      const headers = await headersAt(
        rpc,
        requested.map((mark) => Math.max(mark.number, 0)),
      );
      const lastGood = requested.find((mark, i) => sameBlock(mark, headers[i] ?? null));
      if (lastGood) {
        // The tip itself is still in the chain: the node showed two branches in one poll, so its answers cannot be used now.
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

  private async readRange(rpc: Rpc, tip: BlockMark, final: number, head: number): Promise<ChainEvent> {
    const from = tip.number + 1;
    const to = Math.min(final, from + this.range - 1);
    const range = await logsOfRange(rpc, from, to).catch((error: unknown) => this.halveRange(error));
    if (range.first.parentHash !== tip.hash) return this.reorg(rpc);
    this.adaptRange(range.logs.length, to - from + 1);
    if (range.logs.length > TOO_MANY_LOGS && to > from) return this.readRange(rpc, tip, final, head);
    const headers = await this.headersNear(rpc, from, range.last, head);
    const known = new Map([...range.headers, ...headers].map((header) => [header.number, header]));
    const [marks, logs] = [headers.map(markOf), await completeLogs(rpc, [...known.values()], range.logs)];
    return { kind: 'range', from, marks, time: range.last.timestamp, logs };
  }

  /** Fetches the next range while this one is written. Only one range ahead, or a whole history would soon be in memory. */
  private fetchAhead(tip: BlockMark): void {
    const head = this.nodeHead!;
    const final = this.finalAt(head);
    if (final - tip.number > RANGE_FROM) this.ahead = { from: tip.number + 1, event: this.readAhead(tip, final, head) };
  }

  /** Null after a failure: the range is then requested again. */
  private async readAhead(tip: BlockMark, final: number, head: number): Promise<RangeEvent | null> {
    const event = await this.rpc.pinned((rpc) => this.readRange(rpc, tip, final, head)).catch(() => null);
    if (event?.kind !== 'range') return null;
    await this.options.prefetch?.(event.logs).catch(() => undefined);
    return event;
  }

  private fetchedAhead(): Promise<RangeEvent | null> | null {
    const { ahead } = this;
    this.ahead = null;
    return ahead?.from === this.window.tip.number + 1 ? ahead.event : null;
  }

  /** Only blocks that a reorg can still remove have to be recognised later. */
  private async headersNear(rpc: Rpc, from: number, last: Header, head: number): Promise<Header[]> {
    const first = Math.max(from, head - this.window.size + 1, last.number - this.window.size + 1);
    const numbers = Array.from({ length: Math.max(0, last.number - first) }, (_, i) => first + i);
    const headers = [...(await headersAt(rpc, numbers)), last];
    if (headers.some((header, i) => !header || (i > 0 && header.parentHash !== headers[i - 1]?.hash)))
      throw new RpcBehind('the chain changed while it was read');
    requireAscending(headers as Header[]);
    return headers as Header[];
  }

  /**
   * Time does not go back from block to block. The time of the tip may come from another node, so the tip is read again: the two headers
   * of one node decide. @throws RpcLie
   */
  private async requireLater(rpc: Rpc, next: Header): Promise<void> {
    if (this.tipTime === null || next.timestamp >= this.tipTime) return;
    const tip = await headerAt(rpc, this.window.tip.number);
    if (tip) requireAscending([tip, next]);
  }

  /** After a refusal or a timeout of a large range, the next request asks for half of it. */
  private halveRange(error: unknown): never {
    const tooLarge =
      isRefused(error) ||
      (error instanceof RpcUnreachable && (error.reason === 'timeout' || (error.method === 'eth_getLogs' && this.range > 1)));
    if (isRefused(error) && this.range === 1) throw new RpcBehind(`the node refuses the logs of a single block: ${error.message}`);
    if (!tooLarge || this.range === 1) throw error;
    this.range = this.maxRange = Math.max(1, this.range >> 1);
    throw new RpcBehind(`retrying with a smaller range of ${this.range} blocks`);
  }

  private adaptRange(logs: number, blocks: number): void {
    const fitting = Math.floor((blocks * RANGE_LOGS) / Math.max(1, logs));
    this.maxRange = Math.min(MAX_RANGE, this.maxRange + Math.ceil(this.maxRange / 32));
    this.range = Math.max(1, Math.min(fitting, this.range * GROWTH, this.maxRange));
  }
}

function requireAscending(headers: readonly Header[]): void {
  for (const [i, { number, timestamp }] of headers.entries())
    if (i > 0 && timestamp < headers[i - 1]!.timestamp) throw new RpcLie('timestamp', `block ${number} is older than the block before it`);
}

const markOf = ({ number, hash, parentHash }: Header): BlockMark => ({ number, hash, parentHash });
/** The mark before genesis has no block; genesis names it as its parent. */
const sameBlock = (mark: BlockMark, header: Header | null): boolean =>
  header !== null && (mark.number < 0 ? header.parentHash === mark.hash : header.hash === mark.hash);

/** The last indexed blocks of the chain. Invariant: each block's parent is the previous one, and the last block is the cursor's head. */
export class BlockWindow {
  constructor(
    private marks: readonly BlockMark[],
    readonly size: number,
  ) {
    if (marks.length === 0) throw new RangeError('a window contains at least the head');
  }

  get tip(): BlockMark {
    return this.marks.at(-1)!;
  }

  get floor(): number {
    return this.marks[0]!.number;
  }

  at(number: number): BlockMark | undefined {
    return this.marks[number - this.floor];
  }

  /** Newest first. */
  newestFirst(): readonly BlockMark[] {
    return this.marks.toReversed();
  }

  /** Marks that continue the window, or that start a new one after a gap of final blocks. */
  append(marks: readonly BlockMark[]): void {
    const continues = marks[0]!.number === this.tip.number + 1;
    this.marks = [...(continues ? this.marks : []), ...marks].slice(-this.size);
  }

  rollBack(lastGood: number): void {
    this.marks = this.marks.filter((mark) => mark.number <= lastGood);
  }
}
