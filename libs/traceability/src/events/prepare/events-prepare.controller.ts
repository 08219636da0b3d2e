import { ApiProblems, INVALID_CONTENT, Heavy, serviceBusy } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, DomainError, ROLES, foreignSender, processOutOfScope, senderOf } from '#kernel';
import { Prepares, PreparedEventView, preparedEventView } from '#prepare';
import { Body, Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PrepareEvent } from './prepare-event.js';
import { ValidateEvent } from './validate-event.js';
import { WithdrawEvent } from './withdraw-event.js';
import { eventNotFound, eventNotPrepared, eventOfOthers, inputNotFinal, tlcAmbiguous, tlcTaken } from '../../errors.js';
import {
  EventBatchBody,
  EventBody,
  batchItem,
  submissionOf,
  EventBatchView,
  VerdictView,
  eventBatchView,
  verdictView,
} from './events-prepare.dto.js';

@ApiTags('Events')
@Controller('api/v1/events')
@Access({ roles: ROLES })
export class EventsPrepareController {
  constructor(
    private readonly validateEvent: ValidateEvent,
    private readonly prepareEvent: PrepareEvent,
    private readonly withdrawEvent: WithdrawEvent,
  ) {}

  @Post('validate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Say what is wrong with an event, or worth knowing about it; nothing is stored' })
  @ApiBody({ type: EventBody })
  @ApiOkResponse({ type: VerdictView })
  @ApiProblems(processOutOfScope, foreignSender, serviceBusy)
  // Any JSON object: what is missing or unknown in it is part of the verdict (docs/spec/api.md#events-and-transactions).
  async validate(@CurrentActor() actor: Actor, @Body() body: object): Promise<VerdictView> {
    return verdictView(await this.validateEvent.validate(actor, body as Record<string, unknown>));
  }

  @Post('prepare')
  @Prepares(PrepareEvent)
  @ApiOperation({ summary: 'Validate an event, store its canonical metadata and get the unsigned transaction' })
  @ApiOkResponse({ type: PreparedEventView })
  @ApiProblems(processOutOfScope, foreignSender, tlcTaken, tlcAmbiguous, inputNotFinal, INVALID_CONTENT, serviceBusy)
  async prepare(@CurrentActor() actor: Actor, @Body() body: EventBody): Promise<PreparedEventView> {
    return preparedEventView(await this.prepareEvent.prepare(actor, submissionOf(body, senderOf(actor, body.from))));
  }

  @Post('prepare/batch')
  @Heavy()
  @Prepares(PrepareEvent)
  @ApiOperation({ summary: 'Prepare up to 100 events at once: one answer an item, and a bad one does not spoil the others' })
  @ApiOkResponse({ type: EventBatchView })
  async prepareBatch(@CurrentActor() actor: Actor, @Body() body: EventBatchBody): Promise<EventBatchView> {
    const items = body.events.map((item) => batchItem(actor, item));
    const read = items.flatMap((item) => (item instanceof DomainError ? [] : [item]));
    const answers = (await this.prepareEvent.prepareAll(actor, read)).values();
    return eventBatchView(items.map((item) => (item instanceof DomainError ? item : answers.next().value!)));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'withdrawEvent', summary: 'Withdraw a prepared event; one that has been sent or has landed stays' })
  @ApiNoContentResponse()
  @ApiProblems(processOutOfScope, eventOfOthers, eventNotFound, eventNotPrepared)
  withdraw(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    return this.withdrawEvent.withdraw(actor, id);
  }
}
