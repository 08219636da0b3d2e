import type { GraphEdgeView, GraphNodeView, GraphView } from '#client';

export interface Node extends GraphNodeView {
  /** Column: negative = upstream, positive = downstream of the lot in the middle. */
  readonly column: number;
}

/** What is known of the graph so far; each answer of a walk adds to it. */
export interface Model {
  readonly root: number;
  readonly nodes: ReadonlyMap<number, Node>;
  readonly edges: ReadonlyMap<string, GraphEdgeView>;
  /** Walks that were cut: what leads to more, by lot and direction. */
  readonly cuts: ReadonlyMap<string, { readonly from: number; readonly direction: Direction; readonly cursor: string | null }>;
}

export type Direction = 'ancestry' | 'descendants';

export const emptyModel = (root: number): Model => ({ root, nodes: new Map(), edges: new Map(), cuts: new Map() });

/** A lot that was seen keeps its place: what is on the screen does not jump when more is opened. */
export function withWalk(model: Model, from: number, direction: Direction, answer: GraphView): Model {
  const nodes = new Map(model.nodes);
  const edges = new Map(model.edges);
  const cuts = new Map(model.cuts);
  const middle = nodes.get(from)?.column ?? 0;
  const sign = direction === 'ancestry' ? -1 : 1;
  for (const node of answer.nodes) if (!nodes.has(node.tokenId)) nodes.set(node.tokenId, { ...node, column: middle + sign * node.depth });
  for (const edge of answer.edges) edges.set(`${edge.from}>${edge.to}>${edge.eventId}`, edge);
  const key = `${direction} ${from}`;
  if (answer.truncated) cuts.set(key, { from, direction, cursor: answer.nextCursor });
  else cuts.delete(key);
  return { ...model, nodes, edges, cuts };
}

/** How the graph would look if the lot in the middle were recalled. */
export function asIfRecalled(model: Model, affected: ReadonlySet<number>): Model {
  const nodes = [...model.nodes].map(([id, node]): [number, Node] => [
    id,
    { ...node, recalled: node.recalled || id === model.root, recallAffected: node.recallAffected || affected.has(id) },
  ]);
  return { ...model, nodes: new Map(nodes) };
}
