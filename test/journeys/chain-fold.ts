import { Interface } from 'ethers';
import { tenantLotsAbi } from '#contracts';
import { type Hex, eventIdFromBytes, keccakOf } from '#kernel';

/** A lot as the logs of its contract tell it; quantities in units of its own. */
export interface FoldedLot {
  readonly tokenId: number;
  readonly tlcHash: string;
  /** In what it is counted; null for a container. */
  readonly uom: 'KGM' | 'H87' | null;
  readonly quantity: number;
  remaining: number;
  custodian: string;
  container: number | null;
  recalled: boolean;
  isGone: boolean;
  /** Of a part: the lot that lost it. */
  readonly splitFrom: number | null;
  /** To whom it is offered. */
  offeredTo: string | null;
}

export interface FoldedEvent {
  readonly id: string;
  readonly block: number;
  readonly mode: number;
  /** What it took of each input, 0: nothing. */
  readonly inputs: readonly { readonly tokenId: number; readonly used: number }[];
  readonly outputs: readonly number[];
  /** Of a container that was broken up. */
  readonly contents: readonly number[];
  /** Of everything that it names, and what is inside, right after it. */
  readonly remaining: ReadonlyMap<number, number>;
  isVoided: boolean;
  /** The event whose content it corrects: it is about the same goods. */
  corrects: string | null;
}

/** A part left a lot. */
export interface FoldedSplit {
  readonly from: number;
  readonly part: number;
  readonly quantity: number;
}

const abi = new Interface(tenantLotsAbi);
const MICRO = 1_000_000;
const UNITS: Readonly<Record<string, FoldedLot['uom']>> = { [keccakOf('RICE_PACKED_5KG')]: 'H87', [keccakOf('RICE_PALLET')]: null };
const ALL = (1n << 256n) - 1n;
const numbers = (values: Iterable<bigint>): number[] => [...values].map(Number);

/** By name; the decoder knows their types. */
type Args = Readonly<Record<string, any>>;

interface RawLog {
  readonly topics: string[];
  readonly data: string;
  readonly blockNumber: string;
}

/** A simple fold of the logs of a contract, written from its interface alone: what every report has to agree with. */
export class ChainFold {
  readonly lots = new Map<number, FoldedLot>();
  readonly events: FoldedEvent[] = [];
  /** Events and splits in the order of the chain. */
  readonly history: (FoldedEvent | FoldedSplit)[] = [];
  private block = 0;

  static async of(rpcUrl: string, address: string): Promise<ChainFold> {
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{ address, fromBlock: '0x0', toBlock: 'latest' }] }),
    });
    const { result } = (await answer.json()) as { result: RawLog[] };
    const fold = new ChainFold();
    for (const log of result) fold.apply(log);
    return fold;
  }

  get recorded(): readonly FoldedEvent[] {
    return this.events.filter(({ isVoided }) => !isVoided);
  }

  inside(container: number): number[] {
    return [...this.lots.values()].filter((lot) => lot.container === container && !lot.isGone).map(({ tokenId }) => tokenId);
  }

  private apply(log: RawLog): void {
    const parsed = abi.parseLog(log);
    if (!parsed) return;
    this.block = Number(log.blockNumber);
    const args = parsed.args as unknown as Args;
    switch (parsed.name) {
      case 'EventRecorded':
        return this.record(args);
      case 'LotMinted':
        return this.mint(args);
      case 'LotSplit':
        return this.split(Number(args['tokenId']), Number(args['partId']), Number(args['quantity']) / MICRO);
      case 'CustodyOffered':
      case 'CustodyRejected':
      case 'CustodyCancelled':
        for (const tokenId of numbers(args['tokenIds'] as Iterable<bigint>))
          this.lots.get(tokenId)!.offeredTo = parsed.name === 'CustodyOffered' ? (args['to'] as string) : null;
        return;
      case 'EventVoided':
        return this.undo(eventIdFromBytes(args['eventId'] as Hex)!);
      case 'EventAmended':
        this.events.find(({ id }) => id === eventIdFromBytes(args['amendmentId'] as Hex))!.corrects = eventIdFromBytes(
          args['eventId'] as Hex,
        );
        return;
      case 'CustodyAccepted':
        return this.hand(numbers(args['tokenIds'] as Iterable<bigint>), args['to'] as string);
      case 'LotsRecalled':
      case 'RecallLifted':
        for (const tokenId of numbers(args['tokenIds'] as Iterable<bigint>))
          this.lots.get(tokenId)!.recalled = parsed.name === 'LotsRecalled';
        return;
      default:
    }
  }

  private record(args: Args): void {
    const mode = Number(args['containmentMode']);
    const tokenIds = numbers(args['inputTokenIds'] as Iterable<bigint>);
    const consumed = [...(args['consumed'] as Iterable<bigint>)];
    const [first, count] = [Number(args['firstOutputId']), Number(args['outputCount'])];
    const outputs = Array.from({ length: count }, (_, i) => first + i);
    const inputs = tokenIds.map((tokenId, i) => ({ tokenId, used: this.take(tokenId, consumed[i] ?? 0n) }));
    const contents = mode === 2 ? this.inside(tokenIds[0]!) : [];
    if (mode === 1) for (const tokenId of tokenIds) this.lots.get(tokenId)!.container = first;
    if (mode === 2) {
      for (const tokenId of contents) this.lots.get(tokenId)!.container = null;
      this.lots.get(tokenIds[0]!)!.isGone = true;
    }
    const named = [...tokenIds, ...contents, ...tokenIds.flatMap((tokenId) => this.inside(tokenId))];
    const remaining = new Map(named.map((tokenId) => [tokenId, this.lots.get(tokenId)!.remaining]));
    const id = eventIdFromBytes(args['eventId'] as Hex)!;
    const event: FoldedEvent = { id, block: this.block, mode, inputs, outputs, contents, remaining, isVoided: false, corrects: null };
    this.events.push(event);
    this.history.push(event);
  }

  private split(from: number, part: number, quantity: number): void {
    const lot = this.lots.get(from)!;
    lot.remaining = Math.round((lot.remaining - quantity) * MICRO) / MICRO;
    this.lots.set(part, { ...lot, tokenId: part, splitFrom: from, quantity, remaining: quantity });
    this.history.push({ from, part, quantity });
  }

  private take(tokenId: number, quantity: bigint): number {
    const lot = this.lots.get(tokenId)!;
    const used = quantity === ALL ? lot.remaining : Number(quantity) / MICRO;
    lot.remaining = Math.round((lot.remaining - used) * MICRO) / MICRO;
    return used;
  }

  private mint(args: Args): void {
    const tokenId = Number(args['tokenId']);
    const quantity = Number(args['quantity']) / MICRO;
    const assetType = args['assetType'] as string;
    const uom = Object.hasOwn(UNITS, assetType) ? UNITS[assetType]! : 'KGM';
    this.lots.set(tokenId, {
      ...{ tokenId, tlcHash: args['tlcHash'] as string, uom, quantity, remaining: quantity, custodian: args['custodian'] as string },
      ...{ container: null, recalled: false, isGone: false, splitFrom: null, offeredTo: null },
    });
    (this.events.at(-1)!.remaining as Map<number, number>).set(tokenId, quantity);
  }

  private undo(id: string): void {
    const event = this.events.find((one) => one.id === id)!;
    event.isVoided = true;
    for (const { tokenId, used } of event.inputs) {
      const lot = this.lots.get(tokenId)!;
      lot.remaining = Math.round((lot.remaining + used) * MICRO) / MICRO;
      if (event.mode === 1) lot.container = null;
    }
    for (const tokenId of event.outputs) this.lots.get(tokenId)!.isGone = true;
  }

  private hand(tokenIds: readonly number[], to: string): void {
    for (const tokenId of tokenIds) {
      Object.assign(this.lots.get(tokenId)!, { custodian: to, offeredTo: null });
      this.hand(this.inside(tokenId), to);
    }
  }
}
