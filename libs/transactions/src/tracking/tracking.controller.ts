import { ApiProblems, CHAIN_UNAVAILABLE, type ListCursor, isTimeOfCursor, listCursor, malformedRequest, periodIn } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, isUuid, pageFrom } from '#kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { tooManyOpen, trackedNotFound, transactionNotFound } from '../errors.js';
import { GetTransactionStatus, ListTracked } from './get-transaction-status.js';
import { TrackTransaction } from './track-transaction.js';
import type { TrackedStatus } from './tracked-transaction.js';
import type { TrackedFilter, TrackedPlace } from './tracked-rows.queries.js';
import {
  TX_HASH,
  TrackBody,
  TrackedListQuery,
  TrackedPageView,
  TrackedView,
  TrackingView,
  trackedView,
  trackingView,
  transactionStatusView,
} from './tracking.dto.js';

@ApiTags('Transactions')
@Controller('api/v1/tx')
@Access('member')
export class TrackingController {
  constructor(
    private readonly trackTransaction: TrackTransaction,
    private readonly tracked: ListTracked,
    private readonly transactionStatus: GetTransactionStatus,
  ) {}

  @Post('track')
  @HttpCode(200)
  @ApiOperation({ summary: 'Watch a transaction that was sent to the chain' })
  @ApiOkResponse({ type: TrackingView })
  @ApiProblems(tooManyOpen)
  async track(@CurrentActor() actor: Actor, @Body() body: TrackBody): Promise<TrackingView> {
    return trackingView(await this.trackTransaction.track(actor, body));
  }

  @Get()
  @ApiOperation({ summary: 'What you gave to track, newest first; an API key sees its own' })
  @ApiOkResponse({ type: TrackedPageView })
  async list(@CurrentActor() actor: Actor, @Query() { page, limit, cursor, ...query }: TrackedListQuery): Promise<TrackedPageView> {
    const filter = filterOf(query);
    const list = listCursor(actor.tenantId, 'tx', actor.kind, actor.id, filter.status, filter.type, filter.from, filter.to);
    const { rows, counted } = await this.tracked.list(actor, filter, placeOf(page, cursor, list), limit);
    const last = rows.at(-1)?.tracked;
    const next = last && rows.length === limit ? list.after(last.submittedAt.toISOString(), last.id) : null;
    return pageFrom(rows.map(trackedView), counted, { page, limit }, next);
  }

  @Get('status/:txHash')
  @ApiOperation({ summary: 'Current state of any transaction of the chain, without tracking it' })
  @ApiParam({ name: 'txHash', schema: { type: 'string', pattern: TX_HASH.source } })
  @ApiOkResponse({ type: TrackedView })
  @ApiProblems(transactionNotFound, CHAIN_UNAVAILABLE)
  async status(@CurrentActor() actor: Actor, @Param('txHash') txHash: string): Promise<TrackedView> {
    if (!TX_HASH.test(txHash))
      throw malformedRequest([
        { pointer: '/txHash', code: 'pattern_mismatch', message: 'must be a transaction hash, 0x and 64 hex digits' },
      ]);
    return transactionStatusView(await this.transactionStatus.byHash(actor, txHash));
  }

  @Get(':trackingId')
  @ApiOperation({ summary: 'State of a tracked transaction' })
  @ApiOkResponse({ type: TrackedView })
  @ApiProblems(trackedNotFound)
  async get(@CurrentActor() actor: Actor, @Param('trackingId') trackingId: string): Promise<TrackedView> {
    return trackedView(await this.tracked.byId(actor, trackingId));
  }
}

function filterOf({ status, type, ...times }: Pick<TrackedListQuery, 'status' | 'type' | 'from' | 'to'>): TrackedFilter {
  const { from, to } = periodIn(times.from, times.to);
  return {
    ...(status !== undefined && { status: status as TrackedStatus }),
    ...(type !== undefined && { type }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

function placeOf(page: number, cursor: string | undefined, list: ListCursor): TrackedPlace {
  if (cursor === undefined) return { page };
  const [at, id] = list.place(cursor, ([time, after, ...rest]) => rest.length === 0 && isUuid(after) && isTimeOfCursor(time));
  return { after: { submittedAt: new Date(at!), id: id! } };
}
