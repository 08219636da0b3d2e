import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChainHead } from '#chain';
import { ApiProblems, BooleanField, IntegerField, ObjectField, ObjectListField, tokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { EDGE_KINDS } from '../../domain/edge.js';
import { asOfNotReached, lotNotFound } from '../../domain/errors.js';
import { edgesBetween } from '../persistence/lineage-edges.js';
import { lotNodes } from '../persistence/lot-nodes.js';
import { lotByTokenId, lotsByTokenIds } from '../persistence/lot-reads.js';
import { relationsOf } from '../persistence/lot-relations.js';
import { stateAt } from './as-of.js';
import { RelationsQuery } from './graph.dto.js';
import { GraphEdgeView, edgeView } from './graph.view.js';
import { LotViews } from './lot-views.js';
import { LotView } from './lots.view.js';

/** Of each list; a lot can have many more children. */
const MOST = 500;
/** The contract takes at most 500 inputs an event, so that no lot has more edges into it: this is never reached. */
const MOST_EDGES = 500 * (2 * MOST + 1);

export class RelatedLotView extends LotView {
  @ObjectField(() => GraphEdgeView, { description: 'What links it to the lot asked about' })
  edge: GraphEdgeView;
}

export class RelationsView {
  @IntegerField({ description: 'The lot asked about' })
  tokenId: number;

  @ObjectListField(() => RelatedLotView, { description: 'What it was made from' })
  parents: readonly RelatedLotView[];

  @ObjectListField(() => RelatedLotView, { description: 'What was made from it' })
  children: readonly RelatedLotView[];

  @ObjectField(() => LotView, { description: 'The container it is in', nullable: true })
  container: LotView | null;

  @ObjectListField(() => LotView, { description: 'What is inside it' })
  contents: readonly LotView[];

  @ObjectListField(() => LotView, { description: 'The other outputs of the event that made it' })
  siblings: readonly LotView[];

  @BooleanField({ description: `Whether a list has more than the ${MOST} that are shown: walk the descendants` })
  truncated: boolean;
}

@ApiTags('lots')
@Controller('api/v1/nfts')
@Access('member')
export class RelationsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chainHead: ChainHead,
    private readonly lotViews: LotViews,
  ) {}

  @Get(':tokenId/relations')
  @ApiOperation({ summary: 'Parents and children of a lot, its container, its contents and its siblings' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: RelationsView })
  @ApiProblems(lotNotFound, asOfNotReached)
  relations(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Query() query: RelationsQuery): Promise<RelationsView> {
    const asked = tokenId(id);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const at = await stateAt(tx, this.chainHead, query);
      const lot = await lotByTokenId(tx, asked, at);
      if (!lot) throw lotNotFound(id);
      const related = await relationsOf(tx, lot, MOST + 1, at);
      const lists = [related.parents, related.children, related.contents, related.siblings];
      const [parents, children, contents, siblings] = lists.map((list) => list.slice(0, MOST)) as [bigint[], bigint[], bigint[], bigint[]];
      const ids = [...parents, ...children, ...contents, ...siblings, ...(related.container === null ? [] : [related.container])];
      const views = new Map(
        (await this.lotViews.of(tx, actor, await lotsByTokenIds(tx, [...new Set(ids)], at))).map((view) => [BigInt(view.tokenId), view]),
      );
      const links = await edgesBetween(tx, await lotNodes(tx, [asked, ...parents, ...children], at), EDGE_KINDS, at.block, MOST_EDGES);
      const edges = new Map(
        links!.filter(({ from, to }) => from === asked || to === asked).map((link) => [link.from + link.to - asked, link]),
      );
      const edge = (related: bigint) => edgeView(edges.get(related)!);
      // As of a block a sibling that was voided before is not there.
      const lots = (list: readonly bigint[]): LotView[] => list.flatMap((one) => views.get(one) ?? []);
      return {
        tokenId: Number(asked),
        parents: lots(parents).map((view) => Object.assign(view, { edge: edge(BigInt(view.tokenId)) })),
        children: lots(children).map((view) => Object.assign(view, { edge: edge(BigInt(view.tokenId)) })),
        container: related.container === null ? null : (views.get(related.container) ?? null),
        contents: lots(contents),
        siblings: lots(siblings),
        truncated: lists.some((list) => list.length > MOST),
      };
    });
  }
}
