import { ApiProblems, listCursor, tokenId, Heavy } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, beyondOwnGrants, checksumAddress, isUuid, pageFrom, processOutOfScope } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Prepares } from '#prepare';
import { AffectedSets } from '#traceability';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { PrepareLift } from './prepare-lift.js';
import { PrepareRecall } from './prepare-recall.js';
import { alreadyRecalled, lotNotFinal, lotNotFound, notRecalled, reachIncomplete, recallNotFound } from '../errors.js';
import { type RecallRecord, RecallQueries } from './recalls.queries.js';
import {
  LiftPrepareBody,
  PreparedLiftView,
  PreparedRecallView,
  RecallPageView,
  RecallPrepareBody,
  RecallView,
  RecallsQuery,
  preparedLiftView,
  preparedRecallView,
  recallView,
} from './recalls.dto.js';

const TokenIdParam = (): MethodDecorator => ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } });

@ApiTags('Recalls')
@Controller('api/v1')
export class RecallsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly prepareRecall: PrepareRecall,
    private readonly prepareLift: PrepareLift,
    private readonly recalls: RecallQueries,
    private readonly affected: AffectedSets,
  ) {}

  @Post('nfts/:tokenId/recall/prepare')
  @Heavy()
  @Prepares(PrepareRecall)
  @TokenIdParam()
  @ApiOperation({ summary: 'Prepare the recall of a lot, and of what it affects' })
  @ApiOkResponse({ type: PreparedRecallView })
  @ApiProblems(processOutOfScope, beyondOwnGrants, lotNotFound, lotNotFinal, alreadyRecalled, reachIncomplete)
  async recall(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Body() body: RecallPrepareBody): Promise<PreparedRecallView> {
    return preparedRecallView(await this.prepareRecall.prepare(actor, tokenId(id), body), body.propagation ?? 'flag');
  }

  @Post('nfts/:tokenId/recall/lift/prepare')
  @Prepares(PrepareLift)
  @TokenIdParam()
  @ApiOperation({ summary: 'Prepare to take a recall back' })
  @ApiOkResponse({ type: PreparedLiftView })
  @ApiProblems(processOutOfScope, beyondOwnGrants, lotNotFound, notRecalled)
  async lift(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Body() body: LiftPrepareBody): Promise<PreparedLiftView> {
    return preparedLiftView(await this.prepareLift.prepare(actor, tokenId(id), body));
  }

  @Get('recalls')
  @Heavy(({ holder, tokenId: lot }) => holder !== undefined || lot !== undefined)
  @Access('member')
  @ApiOperation({ summary: 'Recalls that landed, newest first' })
  @ApiOkResponse({ type: RecallPageView })
  list(@CurrentActor() actor: Actor, @Query() query: RecallsQuery): Promise<RecallPageView> {
    const { open, tokenId: lot, holder, page, limit, cursor } = query;
    const list = listCursor(actor.tenantId, 'recalls', open, lot, holder);
    const parts =
      cursor === undefined ? null : list.place(cursor, (place) => place.length === 2 && place.every((part) => /^\d{1,15}$/.test(part)));
    const place = parts ? { after: { block: Number(parts[0]), log: Number(parts[1]) } } : { offset: (page - 1) * limit };
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const roots = await this.rootsFor(tx, query);
      const { recalls, counted } = await this.recalls.list(tx, { open, roots }, place, limit);
      const last = recalls.at(-1);
      const next = last && recalls.length === limit ? list.after(String(last.blockNumber), String(last.logIndex)) : null;
      return pageFrom(await this.views(tx, recalls), counted, query, next);
    });
  }

  @Get('recalls/:id')
  @Access('member')
  @ApiOperation({ summary: 'One recall' })
  @ApiOkResponse({ type: RecallView })
  @ApiProblems(recallNotFound)
  byId(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<RecallView> {
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const recall = isUuid(id) ? await this.recalls.byId(tx, id) : null;
      if (!recall) throw recallNotFound(id);
      return (await this.views(tx, [recall]))[0]!;
    });
  }

  /** Of the lot and of the holder that are asked for: a recall must reach both. */
  private async rootsFor(tx: TenantTx, { tokenId: lot, holder }: RecallsQuery): Promise<readonly bigint[] | undefined> {
    const ofLot = lot === undefined ? undefined : await this.affected.rootsOf(tx, { tokenId: tokenId(lot) });
    if (holder === undefined) return ofLot;
    const ofHolder = await this.affected.rootsOf(tx, { holder: checksumAddress(holder) });
    return ofLot === undefined ? ofHolder : ofHolder.filter((root) => ofLot.includes(root));
  }

  private async views(tx: TenantTx, recalls: readonly RecallRecord[]): Promise<RecallView[]> {
    const openLots = ({ lots }: RecallRecord): bigint[] => lots.filter(({ liftedAt }) => liftedAt === null).map((lot) => lot.tokenId);
    const setsOf = (some: readonly RecallRecord[]) => new Map(some.map((recall) => [recall.id, openLots(recall)]));
    // Affected sets are not kept for recalls without propagation.
    const propagatesNothing = ({ propagation }: RecallRecord): boolean => propagation === 'none';
    const [kept, reached] = await Promise.all([
      this.affected.sizes(tx, setsOf(recalls.filter((recall) => !propagatesNothing(recall)))),
      this.affected.reaches(tx, setsOf(recalls.filter(propagatesNothing))),
    ]);
    const sizes = new Map([...kept, ...reached]);
    return recalls.map((recall) => recallView(recall, sizes.get(recall.id) ?? 0));
  }
}
