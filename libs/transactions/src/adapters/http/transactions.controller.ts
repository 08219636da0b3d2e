import { ApiProblems, CHAIN_UNAVAILABLE, malformedRequest } from '#http';
import { Access, CurrentActor, processOutOfScope, roleRequired } from '#identity';
import type { Actor } from '#kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { PrepareTransaction } from '../../application/prepare-transaction.js';
import { TrackTransaction } from '../../application/track-transaction.js';
import { trackedNotFound, transactionNotFound, unknownMethod, unknownProcess } from '../../domain/errors.js';
import { StatusOnChain } from './status-on-chain.js';
import { TrackedQueries } from './tracked-queries.js';
import { TX_HASH, TrackBody, TrackedListQuery, TxPrepareBody } from './transactions.dto.js';
import { PreparedGenericView, TrackedPageView, TrackedView, TrackingView, preparedGenericView, trackingView } from './transactions.view.js';

@ApiTags('transactions')
@Controller('api/v1/tx')
export class TransactionsController {
  constructor(
    private readonly prepareTransaction: PrepareTransaction,
    private readonly trackTransaction: TrackTransaction,
    private readonly queries: TrackedQueries,
    private readonly statusOnChain: StatusOnChain,
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

  @Get()
  @Access('member')
  @ApiOperation({ summary: 'What you gave to track, newest first; an API key sees its own' })
  @ApiOkResponse({ type: TrackedPageView })
  list(@CurrentActor() actor: Actor, @Query() query: TrackedListQuery): Promise<TrackedPageView> {
    return this.queries.list(actor, query);
  }

  @Get('status/:txHash')
  @Access('member')
  @ApiOperation({ summary: 'State of any transaction of the chain, asked for at this moment, without tracking it' })
  @ApiParam({ name: 'txHash', schema: { type: 'string', pattern: TX_HASH.source } })
  @ApiOkResponse({ type: TrackedView })
  @ApiProblems(transactionNotFound, CHAIN_UNAVAILABLE)
  status(@CurrentActor() actor: Actor, @Param('txHash') txHash: string): Promise<TrackedView> {
    if (!TX_HASH.test(txHash))
      throw malformedRequest([
        { pointer: '/txHash', code: 'pattern_mismatch', message: 'must be a transaction hash, 0x and 64 hex digits' },
      ]);
    return this.statusOnChain.byHash(actor, txHash);
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
