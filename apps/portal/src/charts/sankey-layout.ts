export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly value: number;
}

export interface PlacedNode {
  readonly key: string;
  /** Of the greater of what comes in and what goes out. */
  readonly value: number;
  readonly column: number;
  readonly y: number;
  readonly height: number;
}

/** Where the middle of a ribbon is, in each column that it passes. */
interface Waypoint {
  readonly column: number;
  readonly y: number;
}

export interface PlacedFlow extends Flow {
  readonly width: number;
  readonly way: readonly Waypoint[];
}

export interface Sankey {
  readonly nodes: readonly PlacedNode[];
  readonly flows: readonly PlacedFlow[];
  readonly columns: number;
}

const GAP = 18;
const LEAST = 1;

/**
 * Columns from the sources on: a node is one after the last of those that flow into it, and a ribbon has a place of its own in each column
 * that it passes. Flows that lead back are not drawn: the table has them.
 * @param height of the tallest column, in the units of the drawing
 */
export function sankeyOf(all: readonly Flow[], height: number): Sankey {
  const flows = withoutLoops(all.filter(({ value }) => value > 0));
  const columnOf = columnsOf(flows);
  const slots = ordered([...nodeSlots(flows, columnOf), ...passingSlots(flows, columnOf)], flows);
  const columns = new Set(columnOf.values()).size;
  const members = Array.from({ length: columns }, (_, at) => slots.filter(({ column }) => column === at));
  const scale = Math.min(...members.map((of) => (height - GAP * (of.length - 1)) / sumOf(of)));
  const placed = new Map(members.flatMap((of) => stacked(of, scale, height)).map((slot) => [slot.key, slot]));
  return { nodes: [...placed.values()].filter(({ passing }) => !passing), flows: placedFlows(flows, placed, scale), columns };
}

const sumOf = (of: readonly { readonly value: number }[]): number => of.reduce((total, { value }) => total + value, 0);

/** A node, or a ribbon that passes. */
interface Slot {
  readonly key: string;
  readonly value: number;
  readonly column: number;
  readonly passing: boolean;
}

interface PlacedSlot extends Slot {
  readonly y: number;
  readonly height: number;
}

/** A flow back to something that it came from would have no column. */
function withoutLoops(flows: readonly Flow[]): readonly Flow[] {
  const kept: Flow[] = [];
  for (const flow of flows.toSorted((a, b) => b.value - a.value)) if (!reachedFrom(flow.to, kept).has(flow.from)) kept.push(flow);
  return kept;
}

function reachedFrom(start: string, flows: readonly Flow[]): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const key of reached) for (const { from, to } of flows) if (from === key) reached.add(to);
  return reached;
}

function columnsOf(flows: readonly Flow[]): ReadonlyMap<string, number> {
  const column = new Map(flows.flatMap(({ from, to }) => [from, to]).map((key) => [key, 0]));
  // As often as there are nodes at most: without loops the longest way is no longer.
  for (let pass = 0; pass < column.size; pass++)
    for (const { from, to } of flows) column.set(to, Math.max(column.get(to)!, column.get(from)! + 1));
  return column;
}

function nodeSlots(flows: readonly Flow[], columnOf: ReadonlyMap<string, number>): readonly Slot[] {
  return [...columnOf].map(([key, column]) => {
    const value = Math.max(sumOf(flows.filter(({ from }) => from === key)), sumOf(flows.filter(({ to }) => to === key)));
    return { key, value, column, passing: false };
  });
}

const passingKey = ({ from, to }: Flow, column: number): string => `${from}>${to} ${column}`;
const between = (from: number, to: number): readonly number[] => Array.from({ length: Math.max(0, to - from - 1) }, (_, i) => from + 1 + i);

const passingSlots = (flows: readonly Flow[], columnOf: ReadonlyMap<string, number>): readonly Slot[] =>
  flows.flatMap((flow) =>
    between(columnOf.get(flow.from)!, columnOf.get(flow.to)!).map((column) => ({
      key: passingKey(flow, column),
      value: flow.value,
      column,
      passing: true,
    })),
  );

/** In each column what leads on is above what ends further on: ribbons cross little. */
const ordered = (slots: readonly Slot[], flows: readonly Flow[]): readonly Slot[] => {
  const goesOn = new Set(flows.map(({ from }) => from));
  const rank = ({ key, passing }: Slot): number => (passing ? 1 : goesOn.has(key) ? 0 : 2);
  return slots.toSorted((a, b) => rank(a) - rank(b) || b.value - a.value);
};

function stacked(of: readonly Slot[], scale: number, height: number): readonly PlacedSlot[] {
  const heights = of.map(({ value }) => Math.max(LEAST, value * scale));
  let y = (height - heights.reduce((sum, one) => sum + one, GAP * (of.length - 1))) / 2;
  return of.map((slot, index) => {
    const placed = { ...slot, y, height: heights[index]! };
    y += heights[index]! + GAP;
    return placed;
  });
}

/** At each node in the order of the other ends. */
function placedFlows(flows: readonly Flow[], placed: ReadonlyMap<string, PlacedSlot>, scale: number): readonly PlacedFlow[] {
  const taken = { out: new Map<string, number>(), into: new Map<string, number>() };
  const widthOf = ({ value }: Flow): number => Math.max(LEAST, value * scale);
  const take = (side: 'out' | 'into', key: string, width: number): Waypoint => {
    const { y, column } = placed.get(key)!;
    const before = taken[side].get(key) ?? 0;
    taken[side].set(key, before + width);
    return { column, y: y + before + width / 2 };
  };
  const passed = (flow: Flow): readonly Waypoint[] =>
    between(placed.get(flow.from)!.column, placed.get(flow.to)!.column).map((column) => {
      const { y, height } = placed.get(passingKey(flow, column))!;
      return { column, y: y + height / 2 };
    });
  const ways = new Map(flows.map((flow) => [flow, passed(flow)]));
  const next = (flow: Flow): number => ways.get(flow)![0]?.y ?? placed.get(flow.to)!.y;
  const last = (flow: Flow): number => ways.get(flow)!.at(-1)?.y ?? placed.get(flow.from)!.y;
  const starts = new Map(flows.toSorted((a, b) => next(a) - next(b)).map((flow) => [flow, take('out', flow.from, widthOf(flow))]));
  return flows
    .toSorted((a, b) => last(a) - last(b))
    .map((flow) => ({
      ...flow,
      width: widthOf(flow),
      way: [starts.get(flow)!, ...ways.get(flow)!, take('into', flow.to, widthOf(flow))],
    }));
}
