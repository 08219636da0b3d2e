import { LOT_STATUSES, decimal } from '../lots/lot.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  NumberField,
  ObjectField,
  ObjectListField,
  StringField,
  TokenIdListField,
} from '#http';
import type { LineageEdge, LineageGraph, LineageNode, NodeFacts } from '../contract/lineage.js';
import { AsOfField, type AsOfQuery } from '../lots/as-of.dto.js';
import { EDGE_KINDS, type EdgeKind } from './lineage-graph.js';

/** Query of ancestry and descendants (docs/spec/domain.md#lineage). */
export class GraphQuery implements AsOfQuery {
  @IntegerField({ description: 'Levels from the lot', min: 1, max: 200, optional: true, default: 10 })
  maxDepth: number = 10;

  @IntegerField({ description: 'Lots in the answer, the one asked about aside', min: 1, max: 20_000, optional: true, default: 500 })
  maxNodes: number = 500;

  @EnumField([...EDGE_KINDS, 'all'], { description: 'Which edges to follow', optional: true, default: 'all' })
  edges: EdgeKind | 'all' = 'all';

  @EnumField(['graph', 'tree'], {
    description: '`tree` nests; a lot that was shown already appears as `{ tokenId, tlc, ref: true }`',
    optional: true,
    default: 'graph',
  })
  format: 'graph' | 'tree' = 'graph';

  @AsOfField()
  asOf?: string;

  @StringField({
    description: '`nextCursor` of an answer that was cut: goes on exactly there, as of the same block',
    optional: true,
    maxLength: 400,
  })
  cursor?: string;
}

export class GraphNodeView {
  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its code' })
  tlc: string;

  @StringField({ description: 'Key in the process map', nullable: true })
  assetType: string | null;

  @StringField({ description: "The asset type's name", nullable: true })
  assetTypeName: string | null;

  @EnumField(LOT_STATUSES, { description: 'What it is' })
  status: string;

  @IntegerField({ description: 'Shortest distance from the lot asked about' })
  depth: number;

  @NumberField({ description: 'Distinct ways from the lot asked about; a decimal string beyond 2^53' })
  paths: number | string;

  @StringField({ description: 'EIP-55 address of the custodian' })
  custodian: string;

  @NumberField({ description: 'What was made, in `uom`; null = unmeasured', nullable: true })
  quantity: number | null;

  @StringField({ description: 'UNECE code of the unit', nullable: true })
  uom: string | null;

  @StringField({ description: 'The event that made it', format: 'uuid' })
  eventId: string;

  @StringField({ description: 'Process type of that event', nullable: true })
  processType: string | null;

  @StringField({ description: 'When that event happened', format: 'date-time', nullable: true })
  eventTime: string | null;

  @StringField({ description: 'ISO 3166-1 country of that event', nullable: true })
  country: string | null;

  @NumberField({
    description:
      'Part of the mass of the lot asked about that came from this ancestor, or went into this descendant; null where a mass is unknown',
    nullable: true,
  })
  share: number | null;

  @BooleanField({ description: 'Recalled itself' })
  recalled: boolean;

  @BooleanField({ description: 'Affected by a recall of another lot' })
  recallAffected: boolean;
}

export class GraphEdgeView {
  @IntegerField({ description: 'The older lot' })
  from: number;

  @IntegerField({ description: 'The lot made from it, the part split from it, or the container it was packed in' })
  to: number;

  @EnumField(EDGE_KINDS, { description: 'What links them' })
  kind: string;

  @StringField({ description: 'The event that did; null for a split', format: 'uuid', nullable: true })
  eventId: string | null;

  @StringField({ description: 'Process type of that event', nullable: true })
  processType: string | null;

  @NumberField({ description: 'How much of `from`, in `uom`; null for an unmeasured lot', nullable: true })
  quantity: number | string | null;

  @StringField({ description: 'Unit of `from`', nullable: true })
  uom: string | null;

  @NumberField({ description: 'Part of `from` that was used here', nullable: true })
  inputShare: number | null;

  @NumberField({ description: 'Part of the mass of `to` that came through here', nullable: true })
  outputShare: number | null;
}

export class AsOfView {
  @IntegerField({ description: 'The last block that counts' })
  block: number;
}

class CutView {
  @BooleanField({ description: 'Whether there is more than the bounds allowed' })
  truncated: boolean;

  @EnumField(['maxDepth', 'maxNodes', 'maxEdges'], { description: 'Which bound cut it; an answer holds 50,000 edges', nullable: true })
  truncatedBy: string | null;

  @TokenIdListField({ description: 'Lots that lead to more' })
  frontier: number[];

  @StringField({ description: 'Goes on exactly where it was cut, with `cursor`', nullable: true })
  nextCursor: string | null;

  @ObjectField(() => AsOfView, { description: 'Which state this is' })
  asOf: AsOfView;
}

export class GraphView extends CutView {
  @IntegerField({ description: 'The lot asked about' })
  root: number;

  @EnumField(['ancestors', 'descendants'], { description: 'Which way' })
  direction: string;

  @ObjectListField(() => GraphNodeView, { description: 'By depth, then token id' })
  nodes: readonly GraphNodeView[];

  @ObjectListField(() => GraphEdgeView, { description: 'Every edge between lots of this answer and those before it' })
  edges: readonly GraphEdgeView[];

  @IntegerField({ description: 'Greatest depth in this answer' })
  depth: number;

  @IntegerField({ description: 'Lots in this answer' })
  nodeCount: number;

  @IntegerField({ description: 'Edges in this answer' })
  edgeCount: number;

  @JsonObjectField({
    description:
      'With `format=tree`, in the place of `nodes` and `edges`: a node with `children[]`, each with the `edge` that leads to it; a lot that is elsewhere in the tree is `{ tokenId, tlc, ref: true }`',
    optional: true,
  })
  tree?: object;
}

const MICRO = 1_000_000;

export const nodeView = ({ tokenId, depth, paths, share }: LineageNode, lot: NodeFacts): GraphNodeView => ({
  tokenId: Number(tokenId),
  tlc: lot.tlc,
  assetType: lot.assetType,
  assetTypeName: lot.assetTypeName,
  status: lot.status,
  depth,
  paths: paths <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(paths) : paths.toString(),
  custodian: lot.custodian,
  quantity: lot.whole === null ? null : lot.whole / MICRO,
  uom: lot.uom,
  eventId: lot.eventId,
  processType: lot.processType,
  eventTime: lot.eventTime?.toISOString() ?? null,
  country: lot.country,
  share: rounded(share),
  recalled: lot.recalled,
  recallAffected: lot.recallAffected,
});

export const edgeView = (edge: LineageEdge): GraphEdgeView => ({
  from: Number(edge.from),
  to: Number(edge.to),
  kind: edge.kind,
  eventId: edge.eventId,
  processType: edge.processType,
  quantity: edge.quantity === null ? null : decimal(edge.quantity),
  uom: edge.uom,
  inputShare: rounded(edge.inputShare),
  outputShare: rounded(edge.outputShare),
});

/** Ratios have six decimals (docs/spec/domain.md#reports). */
const rounded = (share: number | null): number | null => (share === null ? null : Math.round(share * 1e6) / 1e6);

export const cutView = ({ truncated, truncatedBy, frontier }: LineageGraph, nextCursor: string | null, block: number): Cut => ({
  truncated,
  truncatedBy,
  frontier: frontier.map(Number),
  nextCursor,
  asOf: { block },
});

/** Of a `CutView`. */
type Cut = { readonly [Field in keyof CutView]: CutView[Field] };

interface Branch extends GraphNodeView {
  readonly children: object[];
}

/**
 * The graph as a tree: a lot is whole under the first lot one level nearer to the root, so that the tree is no deeper than the walk,
 * and as a reference under every other.
 */
export function treeOf({ nodes, edges, root, direction }: Pick<GraphView, 'nodes' | 'edges' | 'root' | 'direction'>): object {
  const branches = new Map<number, Branch>(nodes.map((node) => [node.tokenId, Object.assign({ children: [] }, node)]));
  const placed = new Set([root]);
  const ends = (edge: GraphEdgeView): [number, number] => (direction === 'descendants' ? [edge.from, edge.to] : [edge.to, edge.from]);
  const near = edges.toSorted(
    (a, b) => branches.get(ends(a)[0])!.depth - branches.get(ends(b)[0])!.depth || ends(a)[0] - ends(b)[0] || ends(a)[1] - ends(b)[1],
  );
  for (const edge of near) {
    const [parent, child] = ends(edge).map((tokenId) => branches.get(tokenId)!) as [Branch, Branch];
    const whole = !placed.has(child.tokenId) && child.depth === parent.depth + 1;
    if (whole) placed.add(child.tokenId);
    parent.children.push(whole ? Object.assign(child, { edge }) : { tokenId: child.tokenId, tlc: child.tlc, ref: true, edge });
  }
  return branches.get(root)!;
}
