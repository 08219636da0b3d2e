import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, CHAIN_UNAVAILABLE, EstimatesCalls } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { notSponsorable, relayNotFound, sponsorshipExhausted } from '../errors.js';
import { ReadRelay } from './read-relay.js';
import { RelayCalls } from './relay-calls.js';
import {
  RelayAccountQuery,
  RelayAccountView,
  RelayBody,
  RelayedView,
  RelayStateView,
  relayAccountView,
  relayedView,
  relayStateView,
} from './relay.dto.js';

/** docs/spec/api.md#relay */
@ApiTags('Transactions')
@Access('member')
@Controller('api/v1/tx/relay')
export class RelayController {
  constructor(
    private readonly relayCalls: RelayCalls,
    private readonly readRelay: ReadRelay,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({ operationId: 'relayCalls', summary: 'Have prepared calls sent that a passkey signed; the sponsor pays' })
  @ApiOkResponse({ type: RelayedView })
  @EstimatesCalls()
  @ApiProblems(notSponsorable, sponsorshipExhausted, CHAIN_UNAVAILABLE)
  async relay(@CurrentActor() actor: Actor, @Body() { account, prepared, assertion }: RelayBody): Promise<RelayedView> {
    const { lane, sequence, deadline, credential } = assertion;
    return relayedView(await this.relayCalls.relay(actor, { account, prepared, lane, sequence, deadline, credential }));
  }

  @Get()
  @ApiOperation({ operationId: 'relayAccount', summary: 'Your account, and the place that the next batch of each passkey has' })
  @ApiOkResponse({ type: RelayAccountView })
  @ApiProblems(notSponsorable, CHAIN_UNAVAILABLE)
  async account(@CurrentActor() actor: Actor, @Query() { account }: RelayAccountQuery): Promise<RelayAccountView> {
    return relayAccountView(await this.readRelay.places(actor, account));
  }

  @Get(':relayId')
  @ApiOperation({ operationId: 'relayState', summary: 'What became of a batch, and what it cost' })
  @ApiOkResponse({ type: RelayStateView })
  @ApiProblems(relayNotFound)
  async state(@CurrentActor() actor: Actor, @Param('relayId') relayId: string): Promise<RelayStateView> {
    return relayStateView(await this.readRelay.byId(actor, relayId));
  }
}
