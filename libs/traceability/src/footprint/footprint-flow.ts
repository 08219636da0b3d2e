/**
 * How the impacts of events run through lots (docs/spec/domain.md#footprint, engine "weighted-average/1"): every lot carries a running pair of
 * remaining quantity and impact; what is used takes its part of the impact along, and outputs share it by mass and factor. The stages
 * found here are linear in the impacts, so that one pass backwards answers for one lot, whatever the number of events upstream.
 */
export interface FlowNode {
  readonly id: string;
  /** In millionths of the lot's own unit: 0 = observed or contained, null = all of a lot without a quantity. */
  readonly inputs: readonly { readonly tokenId: bigint; readonly drawn: number | null }[];
  readonly outputs: readonly FlowOutput[];
  /** The container made by this event and what went into it. */
  readonly packs: { readonly container: bigint; readonly members: readonly Member[] } | null;
  /** The container broken up by this event. */
  readonly breaks: bigint | null;
  /** Everything upstream is inside the declared impact already (boundary `cradle_to_gate`): what the inputs carry is left out. */
  readonly cradle: boolean;
  /** What is drawn leaves the chain of custody and keeps its impact: a retirement in part. */
  readonly retires: boolean;
}

export interface FlowOutput {
  readonly tokenId: bigint;
  /** Millionths of the lot's own unit; null = unmeasured. */
  readonly quantity: number | null;
  readonly massKg: number | null;
  /** Weight of a kilogram of this output, 1 under allocation by mass. */
  readonly factor: number;
}

export interface Member {
  readonly tokenId: bigint;
  /** Mass when it was packed, for a lot that is outside the tree asked about; null where it is unknown or a container. */
  readonly massKg: number | null;
}

/** A part of an event's impact that goes to a lot. Shares of a stage add up to 1, or there are none. */
export interface Share {
  readonly tokenId: bigint;
  readonly share: number;
  readonly massKg: number;
}

interface FlowStage {
  readonly event: FlowNode;
  /** Inputs that gave something, with the part of what they had. */
  readonly gives: readonly { readonly tokenId: bigint; readonly ratio: number }[];
  /** Who takes the event's own impact and what the inputs gave: the outputs, or the lots themselves for an event in place. */
  readonly takes: readonly Share[];
}

interface Holding {
  readonly quantity: number | null;
  readonly massKg: number | null;
  remaining: number;
}

/** @param events in the order in which they count, see `inOrder` */
export function flowOf(events: readonly FlowNode[]): FlowStage[] {
  const lots = new Map<bigint, Holding>();
  const contents = new Map<bigint, readonly Member[]>();
  return events.map((event) => {
    if (event.packs) contents.set(event.packs.container, event.packs.members);
    const targets = event.packs ? [event.packs.container] : event.inputs.map((input) => input.tokenId);
    const gives = given(event, lots);
    const mints = event.outputs.length > 0 && !event.packs;
    const inPlace = (): Share[] => (gives.length === 0 ? byMass(unpacked(targets, contents, lots)) : []);
    const takes = mints ? byWeight(event.outputs) : inPlace();
    for (const output of event.outputs) lots.set(output.tokenId, { ...output, remaining: output.quantity ?? 1 });
    if (event.breaks !== null) contents.delete(event.breaks);
    return { event, gives, takes };
  });
}

function given(event: FlowNode, lots: ReadonlyMap<bigint, Holding>): FlowStage['gives'] {
  return event.inputs.flatMap(({ tokenId, drawn }) => {
    const lot = lots.get(tokenId);
    if (!lot || drawn === 0) return [];
    const taken = drawn === null || lot.quantity === null ? lot.remaining : Math.min(drawn, lot.remaining);
    const ratio = lot.remaining > 0 ? taken / lot.remaining : 0;
    lot.remaining -= taken;
    return [{ tokenId, ratio }];
  });
}

/** Outputs by mass and factor; one without a mass gets nothing while others have one, equal shares where none has. */
function byWeight(outputs: readonly FlowOutput[]): Share[] {
  const massless = outputs.every((output) => output.massKg === null);
  const weights = outputs.map((output) => (massless ? output.factor : (output.massKg ?? 0) * output.factor));
  return sharesOf(outputs.map((output, i) => ({ tokenId: output.tokenId, massKg: output.massKg ?? 0, weight: weights[i]! })));
}

/** Lots by the mass they have now; equal shares where none has one. A lot of which nothing is left takes nothing. */
function byMass(lots: readonly { readonly tokenId: bigint; readonly massKg: number | null; readonly empty: boolean }[]): Share[] {
  const left = lots.filter((lot) => !lot.empty);
  const massless = left.every((lot) => lot.massKg === null);
  return sharesOf(left.map(({ tokenId, massKg }) => ({ tokenId, massKg: massKg ?? 0, weight: massless ? 1 : (massKg ?? 0) })));
}

function sharesOf(weighed: readonly { readonly tokenId: bigint; readonly massKg: number; readonly weight: number }[]): Share[] {
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  return sum > 0 ? weighed.map(({ tokenId, massKg, weight }) => ({ tokenId, massKg, share: weight / sum })) : [];
}

/** The lots themselves, and for containers what is inside them. */
function unpacked(
  targets: readonly bigint[],
  contents: ReadonlyMap<bigint, readonly Member[]>,
  lots: ReadonlyMap<bigint, Holding>,
): { tokenId: bigint; massKg: number | null; empty: boolean }[] {
  const found = new Map<bigint, { tokenId: bigint; massKg: number | null; empty: boolean }>();
  const open = targets.map((tokenId): Member => ({ tokenId, massKg: null }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const inside = contents.get(next.tokenId);
    if (inside) {
      open.push(...inside);
      continue;
    }
    const lot = lots.get(next.tokenId);
    found.set(next.tokenId, lot ? { tokenId: next.tokenId, massKg: massLeft(lot), empty: lot.remaining <= 0 } : { ...next, empty: false });
  }
  return [...found.values()];
}

const massLeft = ({ massKg, quantity, remaining }: Holding): number | null =>
  massKg === null || quantity === null ? massKg : massKg * (remaining / quantity);

/** What of each stage's impact reaches one set of lots. */
export interface Reach {
  /** Part of the stage's own impact, by stage. */
  readonly own: Float64Array;
  /** Part of what the stage's inputs carried that was left out upstream of a `cradle_to_gate` boundary, by stage. */
  readonly leftOut: Float64Array;
}

/**
 * One pass backwards.
 * @param keep true: what came into the lots asked about, whatever left them later; false: what is in them at the end
 */
export function reachOf(stages: readonly FlowStage[], roots: ReadonlySet<bigint>, keep: boolean): Reach {
  const part = new Map<bigint, number>([...roots].map((root) => [root, 1]));
  const own = new Float64Array(stages.length);
  const leftOut = new Float64Array(stages.length);
  for (let i = stages.length - 1; i >= 0; i--) {
    const { event, gives, takes } = stages[i]!;
    const reached = takes.reduce((sum, { tokenId, share }) => sum + share * (part.get(tokenId) ?? 0), 0);
    own[i] = reached;
    if (event.cradle) leftOut[i] = reached;
    const carried = event.cradle || event.retires ? 0 : reached;
    for (const { tokenId, ratio } of gives)
      if (!(keep && roots.has(tokenId))) part.set(tokenId, (1 - ratio) * (part.get(tokenId) ?? 0) + ratio * carried);
  }
  return { own, leftOut };
}

/** The mass at each stage that ended in the lots asked about, in kilograms: what coverage is weighed by. */
export function massReaching(stages: readonly FlowStage[], roots: ReadonlySet<bigint>): Float64Array {
  const part = new Map<bigint, number>([...roots].map((root) => [root, 1]));
  const reaching = new Float64Array(stages.length);
  for (let i = stages.length - 1; i >= 0; i--) {
    const { event, gives, takes } = stages[i]!;
    const mass = takes.reduce((sum, { massKg }) => sum + massKg, 0);
    reaching[i] = takes.reduce((sum, { tokenId, massKg }) => sum + massKg * (part.get(tokenId) ?? 0), 0);
    const carried = event.cradle || event.retires || mass === 0 ? 0 : reaching[i]! / mass;
    for (const { tokenId, ratio } of gives)
      if (!roots.has(tokenId)) part.set(tokenId, (1 - ratio) * (part.get(tokenId) ?? 0) + ratio * carried);
  }
  return reaching;
}

/** One pass forwards: which lots hold the impacts of all events at the end. Their sum is the declared total. */
export interface Account {
  /** What is in each lot, and in what was retired of it. */
  readonly held: ReadonlyMap<bigint, number>;
  /** Impact of an event that goes to no lot, by stage. */
  readonly unallocated: Float64Array;
  /** What the inputs carried and a boundary left out, by stage. */
  readonly leftOut: Float64Array;
}

/** @param declared the stage's own impact */
export function accountOf(stages: readonly FlowStage[], declared: (event: FlowNode) => number): Account {
  const running = new Map<bigint, number>();
  const retired = new Map<bigint, number>();
  const unallocated = new Float64Array(stages.length);
  const leftOut = new Float64Array(stages.length);
  const add = (to: Map<bigint, number>, tokenId: bigint, impact: number): void => void to.set(tokenId, (to.get(tokenId) ?? 0) + impact);
  stages.forEach(({ event, gives, takes }, i) => {
    let carried = 0;
    for (const { tokenId, ratio } of gives) {
      const impact = (running.get(tokenId) ?? 0) * ratio;
      add(running, tokenId, -impact);
      if (event.retires) add(retired, tokenId, impact);
      else carried += impact;
    }
    if (event.cradle) leftOut[i] = carried;
    const pool = declared(event) + (event.cradle ? 0 : carried);
    if (takes.length === 0) unallocated[i] = pool;
    for (const { tokenId, share } of takes) add(running, tokenId, pool * share);
  });
  for (const [tokenId, impact] of retired) add(running, tokenId, impact);
  return { held: running, unallocated, leftOut };
}

/** What an event needs to be put in order. */
export interface OrderKey {
  /** Of the happening; null where it is unknown. */
  readonly eventTime: Date | null;
  /** Null for what only the chain knows, a split or a retirement: it comes right after what was recorded of its lots before. */
  readonly landedAt: Date | null;
  readonly block: number;
  readonly logIndex: number;
  readonly reads: readonly bigint[];
  readonly makes: readonly bigint[];
  /** What it reads is inside what it makes. */
  readonly packs: boolean;
}

/**
 * By event time, then by block and log; but no lot is used before it is made, even where clocks of the recorders disagree. What was recorded
 * of a lot after a part of it had left is about the rest, so that a split counts as the making of both.
 * @param events any order
 */
export function inOrder<E extends OrderKey>(events: readonly E[]): E[] {
  const made = new Map<bigint, number>();
  const named = new Map<bigint, number>();
  const inside = new Map<bigint, readonly bigint[]>();
  const name = (lot: bigint, time: number): void => {
    named.set(lot, Math.max(time, named.get(lot) ?? -Infinity));
    for (const content of inside.get(lot) ?? []) name(content, time);
  };
  const latest = (lots: readonly bigint[], times: ReadonlyMap<bigint, number>): number =>
    lots.reduce((last, lot) => Math.max(last, times.get(lot) ?? -Infinity), -Infinity);
  const placed = events
    .toSorted((a, b) => a.block - b.block || a.logIndex - b.logIndex)
    .map((event) => {
      const own = event.eventTime ?? event.landedAt;
      const time = Math.max(latest(event.reads, made), own === null ? latest(event.reads, named) : own.getTime());
      for (const lot of own === null ? [...event.reads, ...event.makes] : event.makes) made.set(lot, time);
      for (const lot of [...event.reads, ...event.makes]) name(lot, time);
      if (event.packs) for (const container of event.makes) inside.set(container, event.reads);
      return { event, time };
    });
  // Stable: events of one time stay in the order of the chain.
  return placed.toSorted((a, b) => a.time - b.time).map(({ event }) => event);
}
