import { ApiProblems } from '#http';
import { Access, CurrentActor, processOutOfScope, roleRequired } from '#identity';
import type { Actor } from '#kernel';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PrepareTransaction } from '../../application/prepare-transaction.js';
import { TrackTransaction } from '../../application/track-transaction.js';
import { trackedNotFound, unknownMethod, unknownProcess } from '../../domain/errors.js';
import { TrackedQueries } from './tracked-queries.js';
import { TrackBody, TxPrepareBody } from './transactions.dto.js';
import { PreparedGenericView, TrackedView, TrackingView, preparedGenericView, trackingView } from './transactions.view.js';

@ApiTags('transactions')
@Controller('api/v1/tx')
export class TransactionsController {
  constructor(
    private readonly prepareTransaction: PrepareTransaction,
    private readonly trackTransaction: TrackTransaction,
    private readonly queries: TrackedQueries,
  ) {}

  @Post('prepare')
  @HttpCode(200)
  @Access('member')
  @ApiOperation({ summary: "Prepare any state-changing method of the tenant's contract" })
  @ApiOkResponse({ type: PreparedGenericView })
  @ApiProblems(unknownMethod, unknownProcess, processOutOfScope, roleRequired)
  async prepare(@CurrentActor() actor: Actor, @Body() body: TxPrepareBody): Promise<PreparedGenericView> {
    return preparedGenericView(await this.prepareTransaction.prepare(actor, body));
  }

  @Post('track')
  @HttpCode(200)
  @Access('member')
  @ApiOperation({ summary: 'Watch a transaction that was sent to the chain' })
  @ApiOkResponse({ type: TrackingView })
  async track(@CurrentActor() actor: Actor, @Body() body: TrackBody): Promise<TrackingView> {
    return trackingView(await this.trackTransaction.track(actor, body));
  }

  @Get(':trackingId')
  @Access('member')
  @ApiOperation({ summary: 'State of a tracked transaction' })
  @ApiOkResponse({ type: TrackedView })
  @ApiProblems(trackedNotFound)
  get(@CurrentActor() actor: Actor, @Param('trackingId') trackingId: string): Promise<TrackedView> {
    return this.queries.byId(actor, trackingId);
  }
}
