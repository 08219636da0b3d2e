import { ApiProblems } from '#http';
import { Access, CurrentActor, foreignSender, processOutOfScope, senderOf } from '#identity';
import { type Actor, ROLES } from '#kernel';
import { Body, Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PrepareEvent } from '../../application/prepare-event.js';
import { ValidateEvent } from '../../application/validate-event.js';
import { WithdrawEvent } from '../../application/withdraw-event.js';
import { eventNotFound, eventNotPrepared, foreignEvent, inputNotFinal, tlcTaken } from '../../domain/errors.js';
import { EventBody, submissionOf } from './events-prepare.dto.js';
import { PreparedEventView, VerdictView, preparedEventView, verdictView } from './events-prepare.view.js';

const INVALID_CONTENT = { code: 'invalid_content', status: 422 };

@ApiTags('events')
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
  @ApiProblems(processOutOfScope, foreignSender)
  // Any JSON object: what is missing or unknown in it is part of the verdict (api-decisions §3).
  async validate(@CurrentActor() actor: Actor, @Body() body: object): Promise<VerdictView> {
    return verdictView(await this.validateEvent.validate(actor, body as Record<string, unknown>));
  }

  @Post('prepare')
  @HttpCode(200)
  @ApiOperation({ summary: 'Validate an event, store its canonical metadata and get the unsigned transaction' })
  @ApiOkResponse({ type: PreparedEventView })
  @ApiProblems(processOutOfScope, foreignSender, tlcTaken, inputNotFinal, INVALID_CONTENT)
  async prepare(@CurrentActor() actor: Actor, @Body() body: EventBody): Promise<PreparedEventView> {
    return preparedEventView(await this.prepareEvent.prepare(actor, submissionOf(body, senderOf(actor, body.from))));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Withdraw a prepared event; one that has been sent or has landed stays' })
  @ApiNoContentResponse()
  @ApiProblems(processOutOfScope, foreignEvent, eventNotFound, eventNotPrepared)
  withdraw(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    return this.withdrawEvent.withdraw(actor, id);
  }
}
