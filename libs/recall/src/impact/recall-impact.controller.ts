import { Readable } from 'node:stream';
import { ChainHead, ChainProfile } from '#chain';
import { ApiProblems, type ListCursor, listCursor, malformedRequest, tokenId, Heavy } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { type AsOf, asOfNotReached, mostWalkedPast, stateAt } from '#traceability';
import { Controller, Get, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { acknowledgedOf } from './acknowledged.queries.js';
import { AssessImpact, WHOLE_REACH } from './assess-impact.js';
import { lotNotFound } from '../errors.js';
import { ImpactQuery, RecallImpactView, recallImpactText } from './recall-impact.dto.js';

interface Reply {
  header(name: string, value: string): unknown;
}

interface Start {
  readonly asOf: AsOf;
  readonly skip: number;
  readonly maxDepth: number;
}

@ApiTags('Recalls')
@Controller('api/v1/nfts')
export class RecallImpactController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly impact: AssessImpact,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
  ) {}

  @Get(':tokenId/recall-impact')
  @Heavy()
  @Access('member')
  @ApiOperation({ summary: 'What a recall of a lot affects: lots, actors and units' })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: RecallImpactView })
  @ApiProblems(lotNotFound, asOfNotReached)
  async impactOf(
    @CurrentActor() actor: Actor,
    @Param('tokenId') id: string,
    @Query() query: ImpactQuery,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<StreamableFile> {
    const root = tokenId(id);
    const list = listCursor(actor.tenantId, 'recall-impact', String(root), query.asOf);
    const { cut, text } = await this.unitOfWork.inSnapshot(actor, async (tx) => {
      const startedAt = this.clock.now().getTime();
      const { asOf, skip, maxDepth } = await this.start(tx, query, list);
      const { impact, shapes, labels } = await this.impact.assessShown(tx, actor, root, { maxDepth, maxNodes: query.maxNodes, asOf, skip });
      if (!impact.root) throw lotNotFound(root);
      const block = asOf ?? (await this.chainHead.position(tx)).head;
      const shown = skip + impact.reached.length;
      const further = impact.truncatedBy === 'maxDepth' ? maxDepth + query.maxDepth : maxDepth;
      const context = {
        chainId: this.chain.chainId,
        labels,
        block,
        acknowledged: await acknowledgedOf(tx, root),
        nextCursor:
          impact.truncated && shown < mostWalkedPast(query.maxNodes) ? list.after(String(block), String(shown), String(further)) : null,
        elapsedMs: this.clock.now().getTime() - startedAt,
      };
      return { cut: impact.truncatedBy, text: recallImpactText(impact, shapes, context) };
    });
    if (cut !== null) reply.header('Warning', `199 - "Not all affected lots are here: the walk was cut by ${cut}."`);
    return new StreamableFile(Readable.from(text, { objectMode: false }), { type: 'application/json; charset=utf-8' });
  }

  private async start(tx: TenantTx, { cursor, maxDepth, maxNodes, asOf }: ImpactQuery, list: ListCursor): Promise<Start> {
    if (cursor === undefined)
      return { asOf: (await stateAt(tx, this.chainHead, asOf === undefined ? {} : { asOf })).block, skip: 0, maxDepth };
    const numbers = list.place(cursor, (parts) => parts.length === 3 && parts.every((part) => /^\d{1,15}$/.test(part))).map(Number);
    const [block, skip, depth] = numbers as [number, number, number];
    // Each level of the walk has a lot in an answer, so no answer has a greater depth.
    if (skip > mostWalkedPast(maxNodes) || depth < 1 || depth > skip + WHOLE_REACH.maxDepth)
      throw malformedRequest([
        { pointer: '/cursor', code: 'invalid_cursor', message: 'This is no cursor of this walk, or one of a larger maxNodes.' },
      ]);
    return { asOf: (await stateAt(tx, this.chainHead, { asOf: String(block) })).block, skip, maxDepth: depth };
  }
}
