import { ApiProblems, listCursor, tokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, type Role, isUuid, pageFrom } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { AffectedSets } from '#traceability';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { HoldLot } from '../../application/hold-lot.js';
import { PrepareLift } from '../../application/prepare-lift.js';
import { PrepareRecall } from '../../application/prepare-recall.js';
import { alreadyRecalled, lotNotFinal, lotNotFound, notHeld, notRecalled, reachIncomplete, recallNotFound } from '../../domain/errors.js';
import { type RecallRecord, Recalls } from '../../ports.js';
import {
  HeldView,
  HoldBody,
  LiftPrepareBody,
  PreparedLiftView,
  PreparedRecallView,
  RecallPageView,
  RecallPrepareBody,
  RecallView,
  RecallsQuery,
  ReleasedView,
  preparedLiftView,
  preparedRecallView,
  recallView,
} from './recalls.dto.js';

/** Who may stop a lot and let it go (api-decisions §2). */
export const HOLD_ROLES: readonly Role[] = ['COMPLIANCE', 'TENANT_ADMIN'];

const TokenIdParam = (): MethodDecorator => ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } });

@ApiTags('recalls')
@Controller('api/v1')
export class RecallsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly prepareRecall: PrepareRecall,
    private readonly prepareLift: PrepareLift,
    private readonly holdLot: HoldLot,
    private readonly records: Recalls,
    private readonly affected: AffectedSets,
  ) {}

  @Post('nfts/:tokenId/recall/prepare')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'] })
  @TokenIdParam()
  @ApiOperation({ summary: 'Prepare the recall of a lot, and of what it affects' })
  @ApiOkResponse({ type: PreparedRecallView })
  @ApiProblems(lotNotFound, lotNotFinal, alreadyRecalled, reachIncomplete)
  async recall(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Body() body: RecallPrepareBody): Promise<PreparedRecallView> {
    return preparedRecallView(await this.prepareRecall.prepare(actor, tokenId(id), body), body.propagation ?? 'flag');
  }

  @Post('nfts/:tokenId/recall/lift/prepare')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'] })
  @TokenIdParam()
  @ApiOperation({ summary: 'Prepare to take a recall back' })
  @ApiOkResponse({ type: PreparedLiftView })
  @ApiProblems(lotNotFound, notRecalled)
  async lift(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Body() body: LiftPrepareBody): Promise<PreparedLiftView> {
    return preparedLiftView(await this.prepareLift.prepare(actor, tokenId(id), body));
  }

  @Post('nfts/:tokenId/hold')
  @HttpCode(200)
  @Access({ roles: HOLD_ROLES })
  @TokenIdParam()
  @ApiOperation({ summary: 'Stop a lot, off chain: until it is released it is neither used nor moved, it may be retired' })
  @ApiOkResponse({ type: HeldView })
  @ApiProblems(lotNotFound)
  async hold(@CurrentActor() actor: Actor, @Param('tokenId') id: string, @Body() { reason }: HoldBody): Promise<HeldView> {
    const lot = tokenId(id);
    await this.holdLot.hold(actor, lot, reason);
    return { tokenId: Number(lot), onHold: true };
  }

  @Post('nfts/:tokenId/release')
  @HttpCode(200)
  @Access({ roles: HOLD_ROLES })
  @TokenIdParam()
  @ApiOperation({ summary: 'Let a lot go, whatever holds it' })
  @ApiOkResponse({ type: HeldView })
  @ApiProblems(lotNotFound, notHeld)
  async release(@CurrentActor() actor: Actor, @Param('tokenId') id: string): Promise<HeldView> {
    const lot = tokenId(id);
    await this.holdLot.release(actor, lot);
    return { tokenId: Number(lot), onHold: false };
  }

  @Get('recalls')
  @Access('member')
  @ApiOperation({ summary: 'Recalls that landed, newest first' })
  @ApiOkResponse({ type: RecallPageView })
  list(@CurrentActor() actor: Actor, @Query() query: RecallsQuery): Promise<RecallPageView> {
    const { open, page, limit, cursor } = query;
    const list = listCursor(actor.tenantId, 'recalls', open);
    const parts =
      cursor === undefined ? null : list.place(cursor, (place) => place.length === 2 && place.every((part) => /^\d{1,15}$/.test(part)));
    const place = parts ? { after: { block: Number(parts[0]), log: Number(parts[1]) } } : { offset: (page - 1) * limit };
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const { recalls, counted } = await this.records.list(tx, { open }, place, limit);
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
      const recall = isUuid(id) ? await this.records.byId(tx, id) : null;
      if (!recall) throw recallNotFound(id);
      return (await this.views(tx, [recall]))[0]!;
    });
  }

  @Post('recalls/:id/release')
  @HttpCode(200)
  @Access({ roles: HOLD_ROLES })
  @ApiOperation({ summary: 'End all holds of a recall with propagation `hold`' })
  @ApiOkResponse({ type: ReleasedView })
  @ApiProblems(recallNotFound)
  async releaseAll(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<ReleasedView> {
    if (!isUuid(id)) throw recallNotFound(id);
    return { released: await this.holdLot.releaseRecall(actor, id) };
  }

  private async views(tx: TenantTx, recalls: readonly RecallRecord[]): Promise<RecallView[]> {
    const standing = ({ lots }: RecallRecord): bigint[] => lots.filter(({ liftedAt }) => liftedAt === null).map(({ tokenId }) => tokenId);
    const setsOf = (some: readonly RecallRecord[]) => new Map(some.map((recall) => [recall.id, standing(recall)]));
    // Of a recall that spares what it reaches no set is kept.
    const spares = ({ propagation }: RecallRecord): boolean => propagation === 'none';
    const kept = await this.affected.sizes(tx, setsOf(recalls.filter((recall) => !spares(recall))));
    const sizes = new Map([...kept, ...(await this.affected.reaches(tx, setsOf(recalls.filter(spares))))]);
    return recalls.map((recall) => recallView(recall, sizes.get(recall.id) ?? 0));
  }
}
