import type { Model } from './model';

export const COLUMN = 190;
export const ROW = 34;
export const BOX = { width: 140, height: 24 } as const;

export interface Layout {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly ids: readonly number[];
  readonly indexOf: ReadonlyMap<number, number>;
  /** Pairs of indices: from, to. */
  readonly edges: Int32Array;
}

/** Columns by distance from the middle; in each column lots are placed near the mean of their neighbours nearer to it. O(n log n + edges). */
export function layoutOf({ nodes, edges }: Model): Layout {
  const ids = [...nodes.keys()];
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  const [x, y] = [new Float64Array(ids.length), new Float64Array(ids.length)];
  const pairs: number[] = [];
  const near: number[][] = ids.map(() => []);
  const column = ids.map((id) => nodes.get(id)!.column);
  for (const { from, to } of edges.values()) {
    const [a, b] = [indexOf.get(from), indexOf.get(to)];
    if (a === undefined || b === undefined) continue;
    pairs.push(a, b);
    if (Math.abs(column[a]!) < Math.abs(column[b]!)) near[b]!.push(a);
    else if (Math.abs(column[b]!) < Math.abs(column[a]!)) near[a]!.push(b);
  }
  for (const [at, members] of [...grouped(column)].toSorted(([a], [b]) => Math.abs(a) - Math.abs(b))) {
    const wish = new Map(members.map((index) => [index, mean(near[index]!.map((other) => y[other]!))]));
    const ordered = members.toSorted((a, b) => wish.get(a)! - wish.get(b)! || ids[a]! - ids[b]!);
    const middle = mean([...wish.values()]);
    ordered.forEach((index, place) => {
      x[index] = at * COLUMN;
      y[index] = middle + (place - (ordered.length - 1) / 2) * ROW;
    });
  }
  return { x, y, ids, indexOf, edges: Int32Array.from(pairs) };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

function grouped(column: readonly number[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  column.forEach((at, index) => {
    const group = groups.get(at);
    if (group) group.push(index);
    else groups.set(at, [index]);
  });
  return groups;
}
