import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChainHead } from '#chain';
import { ApiProblems, BooleanField, IntegerField, ObjectField, ObjectListField, tokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { EDGE_KINDS } from './lineage-graph.js';
import { asOfNotReached, lotNotFound } from '../errors.js';
import { edgesBetween } from './edges.queries.js';
import { lotNodes } from './lineage.queries.js';
import { type Relations, relationsOf } from './relations.queries.js';
import { type LotRecord, lotByTokenId, lotsByTokenIds } from '../lots/lot-list.queries.js';
import { AsOfQuery, stateAt } from '../lots/as-of.dto.js';
import type { StateAsOf } from '../lots/lot-state.queries.js';
import { GraphEdgeView, edgeView } from './graph.dto.js';
import { LotResponses, LotView } from '../lots/lots-response.dto.js';

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

  @ObjectListField(() => LotView, { description: 'Containers that it was in before' })
  pastContainers: readonly LotView[];

  @ObjectListField(() => LotView, { description: 'What was inside it before' })
  pastContents: readonly LotView[];

  @ObjectListField(() => LotView, { description: 'The other outputs of the event that made it' })
  siblings: readonly LotView[];

  @BooleanField({ description: `Whether a list has more than the ${MOST} that are shown: walk the descendants` })
  truncated: boolean;
}

@ApiTags('Lots')
@Controller('api/v1/nfts')
@Access('member')
export class RelationsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chainHead: ChainHead,
    private readonly lotResponses: LotResponses,
  ) {}

  @Get(':tokenId/relations')
  @ApiOperation({ summary: 'Parents and children of a lot, its container, its contents and its siblings' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: RelationsView })
  @ApiProblems(lotNotFound, asOfNotReached)
  async relations(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Query() query: AsOfQuery): Promise<RelationsView> {
    const asked = tokenId(id);
    const { related, lots, links, position } = await this.unitOfWork.inSnapshot(actor, async (tx) => {
      const at = await stateAt(tx, this.chainHead, query);
      const lot = lotByTokenId(tx, asked, at).then((found) => {
        if (!found) throw lotNotFound(id);
        return found;
      });
      return this.around(tx, asked, lot, at);
    });
    const shown = await this.lotResponses.of(actor, lots, position);
    const views = new Map(shown.map((view) => [BigInt(view.tokenId), view]));
    const edges = new Map(
      links.filter(({ from, to }) => from === asked || to === asked).map((link) => [link.from + link.to - asked, link]),
    );
    const edge = (view: LotView) => edgeView(edges.get(BigInt(view.tokenId))!);
    // As of a block a sibling that was voided before is not there.
    const first = (list: readonly bigint[]): LotView[] => list.slice(0, MOST).flatMap((one) => views.get(one) ?? []);
    return {
      tokenId: Number(asked),
      parents: first(related.parents).map((view) => Object.assign({}, view, { edge: edge(view) })),
      children: first(related.children).map((view) => Object.assign({}, view, { edge: edge(view) })),
      container: related.container === null ? null : (views.get(related.container) ?? null),
      contents: first(related.contents),
      pastContainers: first(related.pastContainers),
      pastContents: first(related.pastContents),
      siblings: first(related.siblings),
      truncated: listsOf(related).some((list) => list.length > MOST),
    };
  }

  private async around(tx: TenantTx, asked: bigint, lot: Promise<LotRecord>, at: StateAsOf) {
    const related = await relationsOf(tx, asked, lot, MOST + 1, at);
    const [parents, children, ...others] = listsOf(related).map((list) => list.slice(0, MOST)) as [bigint[], bigint[], ...bigint[][]];
    const ids = [...parents, ...children, ...others.flat(), ...(related.container === null ? [] : [related.container])];
    const linked = [...new Set([asked, ...parents, ...children])];
    const [lots, links, position] = await Promise.all([
      lotsByTokenIds(tx, [...new Set(ids)], at),
      edgesBetween(tx, { tokenIds: linked, reading: lotNodes(tx, linked, at) }, EDGE_KINDS, at.block, MOST_EDGES),
      this.chainHead.position(tx),
    ]);
    return { related, lots, links: links!, position };
  }
}

const listsOf = ({ parents, children, contents, siblings, pastContainers, pastContents }: Relations) => [
  ...[parents, children, contents, siblings],
  ...[pastContainers, pastContents],
];
