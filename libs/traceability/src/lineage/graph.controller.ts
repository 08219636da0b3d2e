import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChainHead } from '#chain';
import { ApiProblems, listCursor, malformedRequest, tokenId, Heavy, isWideWalk } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { type Direction, type GraphRequest, Lineage, type LineageGraph } from '../contract/lineage.js';
import { asOfNotReached, lotNotFound } from '../errors.js';
import { EDGE_KINDS, mostWalkedPast } from './lineage-graph.js';
import type { StateAsOf } from '../lots/lot-state.queries.js';
import { stateAt } from '../lots/as-of.dto.js';
import { GraphQuery, GraphView, cutView, edgeView, nodeView, treeOf } from './graph.dto.js';

/** The most levels that one answer may add (docs/spec/api.md#lots-custody-recall). */
const MAX_DEPTH = 200;

interface Reply {
  header(name: string, value: string): unknown;
}

/** Where a walk continues: the same walk as of the same block, after the lots that were shown. */
interface Continued {
  readonly at: StateAsOf;
  readonly skip: number;
  readonly maxDepth: number;
}

@ApiTags('Lots')
@Controller('api/v1/nfts')
@Access('member')
@ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
@ApiProblems(lotNotFound, asOfNotReached)
export class GraphController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly lineage: Lineage,
    private readonly chainHead: ChainHead,
  ) {}

  @Get(':tokenId/ancestry')
  @Heavy(isWideWalk)
  @ApiOperation({ summary: 'What a lot was made from and what was packed into it' })
  @ApiOkResponse({ type: GraphView })
  ancestry(
    @CurrentActor() actor: Actor,
    @Param('tokenId') id: string,
    @Query() query: GraphQuery,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<GraphView> {
    return this.walk(actor, tokenId(id), 'ancestors', query, reply);
  }

  @Get(':tokenId/descendants')
  @Heavy(isWideWalk)
  @ApiOperation({ summary: 'What was made from a lot and which containers it was packed into' })
  @ApiOkResponse({ type: GraphView })
  descendants(
    @CurrentActor() actor: Actor,
    @Param('tokenId') id: string,
    @Query() query: GraphQuery,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<GraphView> {
    return this.walk(actor, tokenId(id), 'descendants', query, reply);
  }

  private async walk(actor: Actor, root: bigint, direction: Direction, query: GraphQuery, reply: Reply): Promise<GraphView> {
    if (query.format === 'tree' && query.cursor !== undefined)
      throw malformedRequest([{ pointer: '/cursor', code: 'not_allowed', message: 'A tree has no continuation: ask for the graph.' }]);
    const list = listCursor(actor.tenantId, direction, String(root), query.edges, query.asOf);
    const kinds = query.edges === 'all' ? EDGE_KINDS : [query.edges];
    const view = await this.unitOfWork.inSnapshot(actor, async (tx) => {
      const { at, skip, maxDepth } = await this.begin(tx, query, list);
      const request = { root, direction, kinds, bounds: { maxDepth, maxNodes: query.maxNodes }, asOf: at.block, time: at.time, skip };
      const graph = await this.lineage.graph(tx, request);
      if (!graph.lots.has(root)) throw lotNotFound(String(root));
      const block = at.block ?? (await this.chainHead.position(tx)).head;
      const shown = skip + graph.nodes.length - (skip === 0 ? 1 : 0);
      const further = graph.truncatedBy === 'maxDepth' ? maxDepth + query.maxDepth : maxDepth;
      const next =
        graph.truncated && graph.nodes.length > 0 && shown < mostWalkedPast(query.maxNodes)
          ? list.after(String(block), String(shown), String(further))
          : null;
      return viewOf(graph, request, block, next);
    });
    if (view.truncated) reply.header('Warning', `199 - "The walk was cut by ${view.truncatedBy}: there is more behind the frontier."`);
    return query.format === 'tree' ? Object.assign(view, { tree: treeOf(view), nodes: [], edges: [] }) : view;
  }

  private async begin(tx: TenantTx, query: GraphQuery, list: ReturnType<typeof listCursor>): Promise<Continued> {
    const { cursor, maxDepth, maxNodes } = query;
    if (cursor === undefined) return { at: await stateAt(tx, this.chainHead, query), skip: 0, maxDepth };
    const numbers = list.place(cursor, (parts) => parts.length === 3 && parts.every((part) => /^\d{1,15}$/.test(part))).map(Number);
    const [block, skip, depth] = numbers as [number, number, number];
    // Each level that was walked has a lot that was shown, so that no answer gives a depth beyond this.
    if (skip > mostWalkedPast(maxNodes) || depth < 1 || depth > skip + MAX_DEPTH)
      throw malformedRequest([
        { pointer: '/cursor', code: 'invalid_cursor', message: 'This is no cursor of this walk, or one of a larger maxNodes.' },
      ]);
    return { at: await stateAt(tx, this.chainHead, { asOf: String(block) }), skip, maxDepth: depth };
  }
}

function viewOf(graph: LineageGraph, { root, direction }: GraphRequest, block: number, next: string | null): GraphView {
  const nodes = graph.nodes.map((node) => nodeView(node, graph.lots.get(node.tokenId)!));
  return {
    root: Number(root),
    direction,
    nodes,
    edges: graph.edges.map(edgeView),
    depth: nodes.at(-1)?.depth ?? 0,
    nodeCount: nodes.length,
    edgeCount: graph.edges.length,
    ...cutView(graph, next, block),
  };
}
